// The calls between the studio and the process of an agent file. They do not contain states, because both sides read
// states from disk.

import type { Decision, Decisions, Limits } from '@capstan/core'
import type { AgentAnswer, InboxCall, StartRun, Studio, ToolInfo } from '../types.js'

/** The server for models that are configured by name only. */
export interface ModelService {
  readonly baseURL: string
  readonly apiKey: string
  /** The names of the server's models. Any other name is replaced with `planner`. */
  readonly models: readonly string[]
  /** Whether the server replaces all models, including models with their own URL. */
  readonly isForced: boolean
}

/** A file to load, and options for the runs of its agents. */
export interface FileToLoad {
  readonly file: string
  readonly version: number
  /** The studio's folder, in which the process stores its runs. */
  readonly folder: string
  /** The context object for runs and calls. Takes precedence over the context that the file exports. */
  readonly context?: unknown
  readonly service?: ModelService
}

/** A description of a file's exports as plain JSON. */
export interface LoadedFile extends Pick<Studio, 'agents' | 'durable' | 'prompts'> {
  readonly tools: readonly ToolInfo[]
  /** The details that the page shows about each agent, by agent name. */
  readonly answers: Readonly<Record<string, AgentAnswer>>
  /** The name of each agent's export, by agent name. */
  readonly exportNames: Readonly<Record<string, string>>
}

/** Whether a repeated run behaved as recorded and, if not, the first difference. */
export type CheckAnswer =
  | { readonly same: true }
  | {
      readonly same: false
      readonly message: string
      readonly at?: string
      readonly expected?: unknown
      readonly seen?: unknown
    }

/** What a repeated run did. An exported test expects the same. */
export interface ReplayedOutcome {
  readonly rounds: number
  /** The names of the tools that were called, in order, without calls that did not run. */
  readonly calls: readonly string[]
  readonly stopReason?: string
}

/** The methods that the studio can call in an agent file's process. */
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
  /** Repeats a run from its recording. Returns the outcome that an exported test should expect. */
  outcome(params: { readonly run: string }): Promise<ReplayedOutcome>
  durableCalls(): Promise<readonly InboxCall[]>
  decideDurable(params: {
    readonly name: string
    readonly run: string
    readonly callId: string
    readonly decision: Decision
  }): Promise<void>
}

/** The notifications that an agent file's process sends to the studio. */
export interface AgentNotices {
  /** Sent when a run's entries have been written. */
  readonly appended: { readonly run: string }
  /** Sent when one of a run's rounds has ended. */
  readonly ended: { readonly run: string }
  /** Files that have been loaded since the last notification. */
  readonly files: readonly string[]
}
