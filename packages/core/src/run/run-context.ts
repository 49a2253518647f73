import type { ArtifactStore } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { StructuredOutput } from '../middleware/structured-output.js'
import type { CallScheduler } from '../tools/concurrency.js'
import type { Guards } from '../tools/policies.js'
import type { ToolErrors } from '../tools/rejections.js'
import type { Toolset } from '../tools/tool.js'
import type { Emit } from '../types/event.js'
import type { ChildAgent, RunHost } from '../types/host.js'
import { callsOf, type Message, type SystemMessage, type ToolCall } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import type { CallResult, RunState } from '../types/state.js'
import type { PriceTable, Usage } from '../usage.js'

/** What a run is made of: fixed when it starts. */
export interface RunSettings {
  readonly agent: string
  readonly model: ChatModel
  /** The model that is asked in place of another one. */
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
  /** When repeating itself ends a run; undefined: never. */
  readonly stuck: StuckOptions | undefined
  /** Whether a run that is stopped asks for a last answer. */
  readonly landing: boolean
  /** The form that answers have; undefined: words. */
  readonly output: StructuredOutput | undefined
  /** Shortens histories; undefined: they are sent whole. */
  readonly compact: Compact | undefined
  /** Bounds of what is shown of pictures that tools return. */
  readonly show: ShowOptions
  /** Words of the caller that wait to be delivered; undefined where nobody can send any. */
  readonly inbox: QueuedMessages | undefined
  /** Bound on one answer of the model, retries included, and on one call. */
  readonly stepTimeoutMs: number | undefined
  /** Whether calls that need a decision wait for it in place. Default: the run ends as pending. */
  readonly waits?: boolean | undefined
  /** How far results of a tool of this name are trusted, whichever agent of the run has it. */
  trustOf(name: string): ToolTrust
  /** The untrusted source of text in the input; `false`: results of unknown tools are trusted. Default: found in it. */
  readonly taintedBy?: string | false | undefined
  /** Agents that answer calls, or go on with the conversation, by name. */
  readonly agents: ReadonlyMap<string, ChildAgent>
  /** What the run is made of when another agent goes on with it. */
  of(agent: string): RunSettings
  readonly toolErrors: ToolErrors
  /** Whether sloppy arguments are mended where there is one way to read them. */
  readonly repair: boolean
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

/** Where words for a run wait until it takes them. */
export interface QueuedMessages {
  readonly isEmpty: boolean
  /** All that waits, the oldest first; then nothing waits. */
  take(): readonly string[]
}

/** Where a run stands, for a condition. */
export interface Progress {
  /** Answers of the model so far. */
  readonly steps: number
  /** Calls answered since this run, or this continuation, began. */
  readonly toolCalls: readonly CallRecord[]
  readonly usage: Usage
}

/** Whether a run is to stop; looked at after each turn of calls. A pure function of what it is given. */
export type StopCondition = (progress: Progress) => boolean

/** After how many turns in a row that repeat earlier ones something is done about it. */
export interface StuckOptions {
  /** The model is told that it repeats itself. Default 1. */
  readonly tell?: number
  /** The tools it repeats are not offered for one step. Default 2. */
  readonly withhold?: number
  /** The run ends as stuck. Default 3. */
  readonly land?: number
}

/**
 * Shortens the history for one request. What it leaves out stays in the run's messages; every call that is kept must
 * keep its answer. Asked before each request, so it should be quick where nothing is to be done.
 */
export type Compact = (history: History) => readonly Message[] | Promise<readonly Message[]>

export interface History {
  /** Without the instructions. The same objects at every request of a run. */
  readonly messages: readonly Message[]
  /** The place of the user's words that the run began with; -1 where there are none. */
  readonly task: number
  /** About how many tokens messages take. */
  estimate(messages: readonly Message[]): number
  /** The model that is about to be asked. */
  readonly model: ChatModel
  /**
   * Asks a model something besides, without tools, and gives its words. The tokens and their cost are the run's. By
   * default the model that is about to be asked. @throws what the model throws; `stopped` when a limit of the run would
   * be passed: unless that is caught, the run ends by it
   */
  ask(messages: readonly Message[], model?: ChatModel): Promise<string>
  readonly signal: AbortSignal
}

/** What is shown to a model of the pictures that tools with `show` return: those of the latest turn, in one request. */
export interface ShowOptions {
  /** Default 4; further ones are named, not shown. */
  readonly maxImages?: number
  /** Of one picture. Default 4 MiB. */
  readonly maxBytes?: number
  /** Of one picture, where its size is known. Default 2048 x 2048. */
  readonly maxPixels?: number
  /** Makes a picture that is larger fit; without it such a picture is not shown. */
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
  /** Which request this is, from 0. */
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: readonly CallRecord[]
  readonly context: Context
}

export interface StepChanges {
  readonly model?: ChatModel
  /** Names of the tools to offer; `[]` sends none. */
  readonly tools?: readonly string[]
  readonly toolChoice?: ToolChoice
  readonly instructions?: string
  readonly settings?: Readonly<Record<string, unknown>>
}

/** One answered call. */
export interface CallRecord extends CallResult {
  readonly callId: string
  readonly name: string
  /** Which answer of the model made it, from 0. */
  readonly step: number
  /** As the history holds them. */
  readonly arguments: Json
}

/** Where a run stands. */
export interface RunContext {
  readonly state: RunState
  /** Calls answered since this run, or this continuation, began. */
  readonly records: CallRecord[]
  /** Every call id in the history. */
  readonly callIds: Set<string>
  /** The state's turn when this run, or this continuation, began. */
  readonly firstTurn: number
  /** The place of the user's words that the run began with; -1 where there are none. */
  readonly task: number
  /** When this run began, where time is limited, and the seconds worked before. */
  readonly clock: { startedAt?: number; readonly before: number }
  /** Text of an answer that was streamed and has not ended. */
  streamed?: string | undefined
  /** The instructions as last sent. */
  system?: SystemMessage
}

/** The calls that the conversation ends in and nobody has answered. */
export function openCalls({ messages }: RunState): readonly ToolCall[] {
  return callsOf(messages.at(-1))
}

/** The position of the model's answer that is being worked on, from 0. */
export function currentStep({ turn }: RunState): number {
  return Math.max(0, turn - 1)
}
