import type { ArtifactStore } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { StructuredOutput } from '../middleware/structured-output.js'
import type { CallScheduler } from '../tools/concurrency.js'
import type { Guards } from '../tools/policies.js'
import type { ToolErrors } from '../tools/rejections.js'
import type { Repair } from '../tools/repair.js'
import type { Toolset } from '../tools/tool.js'
import type { Emit } from '../types/event.js'
import type { ChildAgent, RunHost } from '../types/host.js'
import { callsOf, type Message, type SystemMessage, type ToolCall } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import type { CallResult, RunState } from '../types/state.js'
import type { PriceTable, Usage } from '../usage.js'

/** The settings of a run, fixed when it starts. */
export interface RunSettings {
  readonly agent: string
  readonly model: ChatModel
  /** Returns the model that replaces another one. */
  modelOf(own: ChatModel): ChatModel
  readonly instructions: Instructions<unknown> | undefined
  readonly toolset: Toolset
  readonly toolChoice: ToolChoice
  readonly settings: Readonly<Record<string, unknown>>
  readonly prepareStep: PrepareStep<unknown> | undefined
  readonly context: unknown
  readonly artifacts: ArtifactStore
  readonly slots: CallScheduler
  readonly guards: Guards
  readonly prices: PriceTable | undefined
  readonly stopWhen: StopCondition | undefined
  /** The stages of stuck detection; undefined turns it off. */
  readonly stuck: StuckOptions | undefined
  /** Whether a stopped run requests a final answer. */
  readonly landing: boolean
  /** The output schema; undefined for text. */
  readonly output: StructuredOutput | undefined
  /** Shortens histories; undefined sends them whole. */
  readonly compact: Compact | undefined
  /** Limits on the images of tool results that the model sees. */
  readonly show: ShowOptions
  /** Messages of the caller that are not delivered yet; undefined when `send` is not available. */
  readonly inbox: QueuedMessages | undefined
  /** Timeout of one reply, retries included, and of one call, in milliseconds. */
  readonly stepTimeoutMs: number | undefined
  /** Whether the run waits for decisions on calls. Default: it ends as pending. */
  readonly waits?: boolean | undefined
  /** Returns the trust in results of a tool of this name, over all agents of the run. */
  trustOf(name: string): ToolTrust
  /** The untrusted source of text in the input; `false` trusts results of unknown tools. Default: found in the input. */
  readonly taintedBy?: string | false | undefined
  /** Agents behind tools and handoffs, by name. */
  readonly agents: ReadonlyMap<string, ChildAgent>
  /** Returns the settings of the run for another agent, after a handoff. */
  of(agent: string): RunSettings
  readonly toolErrors: ToolErrors
  /** Whether arguments that can be read in one way only are repaired. */
  readonly repair: Repair | undefined
  readonly stream: boolean
  readonly signal: AbortSignal
  readonly host: RunHost
  readonly emit: Emit
}

/** `unknown`: no agent of the run has such a tool. */
export type ToolTrust = 'trusted' | 'untrusted' | 'unknown'

/** The system message, or a function of the run's context that writes it. */
export type Instructions<Context> = string | ((context: Context) => string | Promise<string>)

/** `auto`, `none`, `required`, a tool's name, or the wire form of a forced tool. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | (string & {})
  | { readonly type: 'function'; readonly function: { readonly name: string } }

/** Messages for a run, in a queue. */
export interface QueuedMessages {
  readonly isEmpty: boolean
  /** Removes and returns all messages, the oldest first. */
  take(): readonly string[]
}

/** The progress of a run, for a stop condition. */
export interface Progress {
  /** The number of replies so far. */
  readonly steps: number
  /** Calls finished since this run started or was resumed. */
  readonly toolCalls: readonly CallRecord[]
  readonly usage: Usage
}

/** Returns whether a run stops. Called after each step; must be a pure function of its argument. */
export type StopCondition = (progress: Progress) => boolean

/** The number of consecutive repeated steps before each reaction. */
export interface StuckOptions {
  /** Tells the model that it repeats itself. Default 1. */
  readonly tell?: number
  /** Withholds the repeated tools for one step. Default 2. */
  readonly withhold?: number
  /** Ends the run as stuck. Default 3. */
  readonly land?: number
}

/**
 * Shortens the history for one request. The run keeps all messages; every call that is kept must keep its result.
 * Called before each request, so it should return quickly when there is nothing to shorten.
 */
export type Compact = (history: History) => readonly Message[] | Promise<readonly Message[]>

export interface History {
  /** The messages without the instructions. The same objects in every request of a run. */
  readonly messages: readonly Message[]
  /** The index of the user message that started the run; -1 when there is none. */
  readonly task: number
  /** Estimates the tokens of messages. */
  estimate(messages: readonly Message[]): number
  /** The model of this request. */
  readonly model: ChatModel
  /**
   * Sends a side request without tools and returns the reply's text. Its tokens and cost count for the run. Default:
   * the model of this request. @throws the model's error; `stopped` when a limit of the run would be passed, which
   * ends the run unless it is caught
   */
  ask(messages: readonly Message[], model?: ChatModel): Promise<string>
  readonly signal: AbortSignal
}

/** Limits on the images of tools with `show` that a request includes: those of the latest step. */
export interface ShowOptions {
  /** Default 4. Further images are named, not shown. */
  readonly maxImages?: number
  /** The bytes of one image. Default 4 MiB. */
  readonly maxBytes?: number
  /** The pixels of one image whose size is known. Default 2048 x 2048. */
  readonly maxPixels?: number
  /** Shrinks an image that is too large. Without it such an image is not shown. */
  fit?(picture: Uint8Array, bounds: ImageBounds): Promise<Uint8Array>
}

export interface ImageBounds {
  readonly maxBytes: number
  readonly maxPixels: number
}

/** Changes one request before it is made. */
export type PrepareStep<Context> = (
  step: StepView<Context>,
) => StepChanges | void | Promise<StepChanges | void>

export interface StepView<Context> {
  /** The number of this request, from 0. */
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: readonly CallRecord[]
  readonly context: Context
}

export interface StepChanges {
  readonly model?: ChatModel
  /** The names of the tools to offer; `[]` offers none. */
  readonly tools?: readonly string[]
  readonly toolChoice?: ToolChoice
  readonly instructions?: string
  readonly settings?: Readonly<Record<string, unknown>>
}

/** One finished call. */
export interface CallRecord extends CallResult {
  readonly callId: string
  readonly name: string
  /** The step that made the call, from 0. */
  readonly step: number
  /** The arguments as they are in the history. */
  readonly arguments: Json
}

/** The state of a run in progress, and the parts of it that are not stored. */
export interface RunContext {
  readonly state: RunState
  /** Calls finished since this run started or was resumed. */
  readonly records: CallRecord[]
  /** Every call id in the history. */
  readonly callIds: Set<string>
  /** The state's turn when this run started or was resumed. */
  readonly firstTurn: number
  /** The index of the user message that started the run; -1 when there is none. */
  readonly task: number
  /** The start of this run, when time is limited, and the seconds worked before it. */
  readonly clock: { startedAt?: number; readonly before: number }
  /** The streamed text of a reply that has not ended. */
  streamed?: string | undefined
  /** The instructions as last sent. */
  system?: SystemMessage
}

/** Returns the calls at the end of the conversation that have no result. */
export function openCalls({ messages }: RunState): readonly ToolCall[] {
  return callsOf(messages.at(-1))
}

/** Returns the number of the current step, from 0. */
export function currentStep({ turn }: RunState): number {
  return Math.max(0, turn - 1)
}
