import type { Artifact } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { Spending, Usage } from '../usage.js'
import type { Message } from './message.js'

/**
 * A run as plain JSON: what it takes to go on, in this process or another.
 * Messages that end in unanswered calls go on at answering them.
 */
export interface RunState {
  readonly schema: 1
  readonly runId: string
  /** Name of the agent; after a handoff, of the one that goes on. */
  agent: string
  /** Changes when the agent's tools do. */
  readonly definitionHash: string
  /** Answers of the model so far. */
  turn: number
  /** The whole conversation, the input included, the instructions never. */
  readonly messages: Message[]
  /** Runs of agents that answer calls of the open turn and wait for a decision, by call index. */
  children?: Record<number, ChildRun>
  /** Decisions on pending calls, not yet carried out. They count when a run is given them as its option `decisions`. */
  decisions?: Decisions
  /** What the calls made, each once, oldest first. */
  artifacts?: readonly Artifact[]
  /** The answer in the form that the agent asks for. */
  output?: Json
  /** Finished answers of the open turn by call index, until all are in. */
  answered: Record<number, CallResult>
  /** Calls that wait for a decision of the caller. */
  pending: PendingCall[]
  usage: Usage
  readonly limits: Limits
  stopReason?: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  limit?: LimitName
  /** What stop rules remember across a restart. */
  flags: Flags
}

/** A run within a run. */
export interface ChildRun {
  readonly state: RunState
  /** How often it was gone on with. */
  readonly round: number
  readonly notes?: CallNotes
}

export interface Flags {
  /** A tool was forced; it is not forced again. */
  forcedChoiceUsed?: boolean
  /** The end of the last text never came. */
  incomplete?: boolean
  /** The last request without tools was made. */
  landed?: boolean
  /** How many answers of the model were such last ones: they count as no steps. */
  landings?: number
  /** Answers in a row that had not the asked form. */
  misshapen?: number
  /** The server cannot be asked for a form: a tool is. */
  outputByTool?: boolean
  /** What the run failed of, when it answered a call of another run. */
  failed?: string
  /** A result was too long to be shown whole: the model may read its artifact. */
  shortened?: boolean
  /** The model's last answer said nothing at all. */
  silent?: boolean
  /** The limit that a call of the last turn would have passed. */
  passed?: LimitName
  /** What the last request took: the next will take more. */
  lastRequest?: { readonly tokens: number; readonly cost: number }
  /** Rejected calls in a row, by tool name. */
  rejections?: Readonly<Record<string, number>>
  /** What the last turns called and were told, as fingerprints, the newest last. */
  recent?: readonly (readonly string[])[]
  /** Turns in a row that repeated earlier ones. */
  repeats?: number
  /** Tools that the next request does not offer. */
  withheld?: readonly string[]
  /** Tools of which a call was approved in this run. */
  approved?: readonly string[]
  /** The untrusted source whose text the model has read: a tool, as a rule. */
  taintedBy?: string
  [name: string]: Json | undefined
}

/**
 * How a call ended. `rejected`: the arguments or the name could not be used, the function never ran. `denied`: a
 * policy or a person said no. `cut_off`: stopped while it ran. `not_run`: the run stopped before.
 */
export type CallStatus = 'ok' | 'error' | 'rejected' | 'denied' | 'cut_off' | 'not_run'

/** The outcome of one call: what the model is told, and what the caller gets. Plain JSON. */
export interface CallResult {
  readonly status: CallStatus
  /** Content of the tool message. */
  readonly content: string
  /** What the tool returned, as JSON; absent when it returned nothing or did not succeed. */
  readonly result?: Json
  /** Artifacts found in the result. */
  readonly artifacts?: readonly Artifact[]
  /** The artifact that is the whole of `content`, where that was too long. */
  readonly whole?: Artifact
  /** Whether the arguments were read as the schema means them. */
  readonly repaired?: boolean
  /** Whether a person said yes to it. */
  readonly approved?: boolean
  /** The arguments it ran with, when a person changed them. */
  readonly arguments?: Json
  /** What the agent used that answered it. */
  readonly usage?: Usage
  /** The untrusted source of text in it: what that agent read, or what made the artifact that was read. */
  readonly taintedBy?: string
  /** What it spent, whatever its outcome. */
  readonly spent?: readonly Spending[]
  /** The reference that the model reads in place of an error's message; the `tool-end` event has it too. */
  readonly errorId?: string
  /** The limit that it would have passed, or that cut it off. */
  readonly limit?: LimitName
  /** Duration of the tool's function. */
  readonly ms: number
}

/** What is known of a call before it is answered. */
export type CallNotes = Pick<CallResult, 'repaired' | 'approved' | 'arguments'>

/** What a call comes to: its answer, that it waits for a decision, or that another agent is to answer it. */
export type Outcome = CallResult | PendingOutcome | DelegatedOutcome | PausedOutcome

/** A call that may run, of a tool that is an agent. */
export interface DelegatedOutcome {
  readonly status: 'delegated'
  /** What the agent is told. */
  readonly input: string
  readonly notes: CallNotes
}

/** A call whose agent waits for a decision. */
export interface PausedOutcome {
  readonly status: 'paused'
  readonly state: RunState
}

/** A call that was not run: it needs a decision. */
export interface PendingOutcome {
  readonly status: 'pending'
  readonly kind: PendingCall['kind']
  readonly arguments: Json
  readonly reason?: string
}

/** A call that waits: for a yes, or for its result. */
export interface PendingCall {
  readonly callId: string
  readonly name: string
  /** Name of the agent whose call it is. */
  readonly agent?: string
  readonly arguments: Json
  readonly kind: 'approval' | 'result'
  readonly reason?: string
}

/** What is decided of a pending call: `approve` runs it, with other arguments where given; `result` answers it. */
export type Decision =
  | { readonly type: 'approve'; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'result'; readonly value: unknown }

/** Decisions by call id. */
export type Decisions = Readonly<Record<string, Decision>>

/** Bounds of a run, over all its continuations. One that is absent does not bound. */
export interface Limits {
  /** Answers of the model, the last one without tools not counted. Default 20; `Infinity` for no bound. */
  readonly steps?: number
  /** Tool calls answered, whatever their outcome. */
  readonly toolCalls?: number
  /** The same by tool name. */
  readonly perTool?: Readonly<Record<string, number>>
  /** Input and output together, as servers report them; estimated where they do not. */
  readonly tokens?: number
  /** Time in which the run works; waiting for decisions between runs is not counted. */
  readonly seconds?: number
  /** Images made. */
  readonly images?: number
  /** Seconds of audio listened to. */
  readonly audioSeconds?: number
  /** Artifacts that tools store. */
  readonly artifacts?: number
  /** Bytes that tools store as artifacts. */
  readonly artifactBytes?: number
  /** In the unit of the agent's price table. */
  readonly cost?: number
}

export type LimitName = keyof Limits

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
