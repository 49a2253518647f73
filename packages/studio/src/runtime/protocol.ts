// Commands between the studio and the process of an agent file. They carry no states: those stay on disk.

import type { Decision, Decisions, Limits } from '@capstan/core'
import type { AgentAnswer, InboxCall, StartRun, Studio, ToolInfo } from '../types.js'

/** The model server for models that are only named. */
export interface ModelService {
  readonly baseURL: string
  readonly apiKey: string
  /** The names of its models. `planner` replaces other names. */
  readonly models: readonly string[]
  /** Whether it replaces every model. */
  readonly isForced: boolean
}

/** A file to load, with options for its runs. */
export interface FileToLoad {
  readonly file: string
  readonly version: number
  /** The studio's folder. */
  readonly folder: string
  /** The context for runs and calls. Replaces the file's own context. */
  readonly context?: unknown
  readonly service?: ModelService
}

/** The exports of a file as plain JSON. */
export interface LoadedFile extends Pick<Studio, 'agents' | 'durable' | 'prompts'> {
  readonly tools: readonly ToolInfo[]
  /** Details of agents, by agent name. */
  readonly answers: Readonly<Record<string, AgentAnswer>>
  /** The export names of agents, by agent name. */
  readonly exportNames: Readonly<Record<string, string>>
}

/** The result of `check`. */
export type CheckAnswer =
  | { readonly same: true }
  | {
      readonly same: false
      readonly message: string
      readonly at?: string
      readonly expected?: unknown
      readonly seen?: unknown
    }

/** The results of a repeated run, for a test's expectations. */
export interface ReplayedOutcome {
  readonly rounds: number
  /** The names of the called tools, in order. */
  readonly calls: readonly string[]
  readonly stopReason?: string
}

/** The methods of an agent file's process. */
export interface AgentMethods {
  load(params: FileToLoad): Promise<LoadedFile>
  start(params: { readonly run: string; readonly request: StartRun }): Promise<void>
  stop(params: { readonly run: string }): Promise<void>
  send(params: { readonly run: string; readonly text: string }): Promise<void>
  decide(params: {
    readonly run: string
    readonly decisions: Decisions
    readonly allowChangedTools: boolean
  }): Promise<{ readonly round: number }>
  resume(params: { readonly run: string; readonly limits?: Limits }): Promise<void>
  callTool(params: {
    readonly run: string
    readonly name: string
    readonly arguments: unknown
    readonly agent?: string
  }): Promise<void>
  check(params: { readonly run: string; readonly tools?: 'recorded' | 'run' }): Promise<CheckAnswer>
  /** Repeats a run from its recording, to write a test. */
  outcome(params: { readonly run: string }): Promise<ReplayedOutcome>
  durableCalls(): Promise<readonly InboxCall[]>
  decideDurable(params: {
    readonly name: string
    readonly run: string
    readonly callId: string
    readonly decision: Decision
  }): Promise<void>
}

/** Notifications from the process. */
export interface AgentNotices {
  /** Sent when a run's entries were written. */
  readonly appended: { readonly run: string }
  /** Sent when a round of a run has ended. */
  readonly ended: { readonly run: string }
  /** The files loaded since the last notification. */
  readonly files: readonly string[]
}
