import type { Artifact } from './artifact.js'
import type { Json } from './json.js'
import type { Message } from './message.js'
import type { Usage } from './usage.js'

/**
 * A run as plain JSON: what it takes to go on, in this process or another.
 * Messages that end in unanswered calls go on at answering them.
 */
export interface RunState {
  readonly schema: 1
  readonly runId: string
  /** Name of the agent. */
  readonly agent: string
  /** Changes when the agent's tools do. */
  readonly definitionHash: string
  /** Answers of the model so far. */
  turn: number
  /** The whole conversation, the input included, the instructions never. */
  readonly messages: Message[]
  /** Finished answers of the open turn by call index, until all are in. */
  answered: Record<number, Answer>
  /** Calls that wait for a decision of the caller. */
  pending: PendingCall[]
  usage: Usage
  readonly limits: Limits
  stopReason?: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  limit?: keyof Limits
  /** What stop rules remember across a restart. */
  readonly flags: Flags
}

export interface Flags {
  /** A tool was forced; it is not forced again. */
  forcedChoiceUsed?: boolean
  /** The end of the last text never came. */
  incomplete?: boolean
  /** Rejected calls in a row, by tool name. */
  rejections?: Readonly<Record<string, number>>
  [name: string]: Json | undefined
}

/** How a call ended. `rejected`: the arguments or the name could not be used, the function never ran. */
export type CallStatus = 'ok' | 'error' | 'rejected' | 'denied' | 'cut_off' | 'not_run'

/** The outcome of one call: what the model is told, and what the caller gets. Plain JSON. */
export interface Answer {
  readonly status: CallStatus
  /** Content of the tool message. */
  readonly content: string
  /** What the tool returned, as JSON; absent when it returned nothing or did not succeed. */
  readonly result?: Json
  /** Artifacts found in the result. */
  readonly artifacts?: readonly Artifact[]
  /** Whether the arguments were read as the schema means them. */
  readonly repaired?: boolean
  /** Duration of the tool's function. */
  readonly ms: number
}

/** A call that waits: for a yes, or for its result. */
export interface PendingCall {
  readonly callId: string
  readonly name: string
  readonly arguments: Json
  readonly kind: 'approval' | 'result'
  readonly reason?: string
}

/** Bounds of a run. */
export interface Limits {
  /** Answers of the model. Default 20. */
  readonly steps: number
}

/** Why a run ended; always set. */
export type StopReason =
  | 'done'
  | 'pending'
  | 'limit'
  | 'stuck'
  | 'condition'
  | 'length'
  | 'refusal'
  | 'content_filter'
  | 'aborted'
