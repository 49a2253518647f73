import type { Artifact } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { CountedRequest, Spending, Usage } from '../usage.js'
import { callsOf, type Message, type MessageMedia, type ToolCall } from './message.js'

/**
 * A run as plain JSON, sufficient to resume it in any process. If its messages end in open tool calls, it resumes with
 * them.
 */
export interface RunState {
  readonly schema: 1
  readonly runId: string
  /** The name of the current agent. A handoff changes it. */
  agent: string
  /** Hash of the agent's tools. */
  readonly definitionHash: string
  /** The number of model replies so far. */
  stepCount: number
  /** The entire conversation, with the input and without the instructions. */
  readonly messages: Message[]
  /** The run whose reply made the open calls, if a different run resumed it. It stays in their idempotency keys. */
  begunBy?: string
  /** Child runs for calls of the open step that need a decision, by call index. */
  children?: Record<number, StoredChild>
  /** Decisions on pending calls that are not applied yet. Applied when a run gets them as its option `decisions`. */
  decisions?: Decisions
  /** Artifacts of the calls without duplicates, oldest first. */
  artifacts?: readonly Artifact[]
  /** Data of the reply whose calls are open, for the step that they finish. */
  reply?: ReplyFacts | undefined
  /** Other fields of the last response, such as `citations`. */
  extra?: Readonly<Record<string, Json>>
  /** The validated structured output. */
  output?: Json
  /** Finished results of the open step by call index, until all are present. */
  results: Record<number, CallResult>
  /** Calls that need a decision of the caller. */
  pending: PendingCall[]
  usage: Usage
  readonly limits: Limits
  stopReason?: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  limit?: LimitName
  /** The loop's memory of earlier steps. */
  flags: Flags
  /** The states of middlewares, by their names. */
  kept: Record<string, Json>
  /** Tools with an approved call in this run. */
  approved?: readonly string[]
  /** The untrusted source whose text the model got, usually a tool. */
  taintedBy?: string
  /** Warnings for the caller, oldest first. */
  warnings?: readonly string[]
}

/** Facts about one model reply. */
export interface ReplyFacts {
  readonly model: string
  readonly ms: number
  /** The requests of the step. The last one is the request of its reply. */
  readonly requests: readonly CountedRequest[]
  /** Spending of the call's files. */
  readonly spent?: readonly Spending[] | undefined
  readonly finishReason?: string | undefined
  readonly response?: ResponseFacts | undefined
}

/** A child run. */
export interface StoredChild {
  readonly state: RunState
  /** The number of times it was resumed. */
  readonly round: number
  readonly notes?: ResultNotes
}

export interface Flags {
  /** True once a tool was forced: it is not forced again. */
  toolForced?: boolean
  /** True if the end of the last text is missing. */
  incomplete?: boolean
  /** True once the final answer was requested. */
  finalAsked?: boolean
  /** The number of final answers. They are not steps. */
  finalReplies?: number
  /** The error of a failed child run. */
  failure?: string
  /** True if the model's last reply was empty. */
  emptyReply?: boolean
  /** The limit that a call of the last step would have exceeded. */
  wouldExceed?: LimitName
  /** The usage of the last request. The next one is expected to use more. */
  lastRequest?: { readonly tokens: number; readonly cost: number }
  /** Consecutive rejected calls by tool name. */
  rejections?: Readonly<Record<string, number>>
}

/**
 * The result of a call. `rejected`: the name or arguments were invalid and the function did not run. `denied`: a
 * policy or a user denied it. `cut_off`: it was stopped while running. `not_run`: the run stopped before it.
 */
export type ResultStatus = 'ok' | 'error' | 'rejected' | 'denied' | 'cut_off' | 'not_run'

/** The result of one call, for the model and for the caller. Plain JSON. */
export interface CallResult {
  readonly status: ResultStatus
  /** The content of the tool message. */
  readonly content: string
  /** The tool's return value as JSON. Absent if it returned nothing or did not succeed. */
  readonly result?: Json
  /** Artifacts in the result. */
  readonly artifacts?: readonly Artifact[]
  /** Files of the tool message: images that requests show, and files that were in its text. They are artifacts of the result. */
  readonly media?: readonly MessageMedia[]
  /** The artifact with the complete text, if `content` was shortened. */
  readonly whole?: Artifact
  /** Whether values of the arguments were repaired to fit the schema. */
  readonly repaired?: boolean
  /** Whether a person approved the call. */
  readonly approved?: boolean
  /** The arguments used, if a person changed them. */
  readonly arguments?: Json
  /** The usage of the agent behind the tool. */
  readonly usage?: Usage
  /** The untrusted source of the text: from the agent's own reading or from the artifact's origin. */
  readonly taintedBy?: string
  /** The call's spending, even if it failed. */
  readonly spent?: readonly Spending[]
  /** The reference that the model gets instead of an error's message. The `tool-end` event has it too. */
  readonly errorId?: string
  /** The limit that the call would have exceeded, or that stopped it. */
  readonly limit?: LimitName
  /** Whether the function runs in the background. The content tells the model so until there is a result. */
  readonly background?: boolean
  /** The calls that it made, as a program does. They follow it in `result.toolCalls`. */
  readonly calls?: readonly AnyToolCall[]
  /** Duration of the tool's function in milliseconds. */
  readonly ms: number
}

/** One finished call. */
export interface CallRecord extends CallResult {
  readonly callId: string
  readonly name: string
  /** The step that made the call, from 0. */
  readonly step: number
  /** The arguments from the history. */
  readonly arguments: Json
}

/** A finished call of any tool. */
export type AnyToolCall = EndedFacts & {
  readonly dynamic?: boolean
  readonly name: string
  readonly status: ResultStatus
  readonly arguments: unknown
  readonly result?: unknown
}

/** The facts of a finished call that do not depend on its tool. */
export interface EndedFacts {
  readonly callId: string
  /** The step that made the call, from 0. */
  readonly step: number
  /** Duration of the tool's function in milliseconds. */
  readonly ms: number
  /** The tool message that the model got. */
  readonly content: string
  /** The artifacts in the result. Absent if there are none. */
  readonly artifacts?: readonly Artifact[]
  /** True if a person approved the call. */
  readonly approved?: boolean
  /** True if values of the arguments were repaired to fit the schema. */
  readonly repaired?: boolean
  /** The id that the model got instead of an error message. */
  readonly errorId?: string
  /** The tool that made the call, such as `run_program`. Absent for calls of the model. */
  readonly via?: string
  /** The call of that tool. Its id is in front of `callId`: `call_1/call0`. Absent for calls of the model. */
  readonly parentCallId?: string
}

/** One step of a run: a reply of the model with its calls. The tools are unknown to this type. */
export interface AnyStep {
  /** Counts the replies of the run from 0, as `step` of a call does. */
  readonly step: number
  readonly text: string
  /** The model's reasoning. Absent if the server sent none. */
  readonly reasoning?: string | undefined
  /** The calls of the reply that have finished, in call order. */
  readonly toolCalls: readonly AnyToolCall[]
  /** `stop`, `tool_calls`, `length`, ... Absent if the server sent none. */
  readonly finishReason?: string | undefined
  /** For this step only: its requests, its calls, and the agents that ran them. Without `seconds`. */
  readonly usage: Usage
  /** The cost of `usage`. All step costs add up to the run's cost. Absent without a price table. */
  readonly cost?: Usage['cost']
  /** The name of the model that replied. The name of the agent's model for a reply that this library did not request. */
  readonly model: string
  /** From the request to the complete reply in milliseconds, retries included. 0 if it was not measured. */
  readonly ms: number
  readonly response: StepResponse
}

/** The server's metadata of one response. */
export interface ResponseFacts {
  /** The server's id of the reply. */
  readonly id?: string | undefined
  /** The model as the server names it: often the requested one with its version. */
  readonly model?: string | undefined
  readonly systemFingerprint?: string | undefined
  /** Response headers with request ids and rate limits, by lower-case name. Absent if there are none. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Other fields of the response that contained a step's reply. */
export interface StepResponse extends ResponseFacts {
  /** The probabilities of the tokens, if the settings asked for them: `{ logprobs: true }`. */
  readonly logprobs?: Json
  /**
   * Other fields that the server sent next to the message, as received: `citations`, `service_tier`. `hosted` has the calls
   * of tools that the server ran itself, and the sources: `{ calls, sources }`.
   */
  readonly [field: string]: Json | undefined
}

/** Facts about a call that are known before its result. */
export type ResultNotes = Pick<CallResult, 'repaired' | 'approved' | 'arguments'>

/** The result of a call: its result, a needed decision, or the input of an agent. */
export type Outcome = CallResult | PendingOutcome | ReadyOutcome | PausedOutcome

/** An allowed call of a tool that is an agent. */
export interface ReadyOutcome {
  readonly status: 'ready'
  /** The input of the agent. */
  readonly input: string
  readonly notes: ResultNotes
}

/** A call whose agent needs a decision. */
interface PausedOutcome {
  readonly status: 'paused'
  readonly state: RunState
}

/** A call that did not run because it needs a decision. */
export interface PendingOutcome {
  readonly status: 'pending'
  readonly kind: PendingCall['kind']
  readonly arguments: Json
  readonly reason?: string
}

/** A call that needs an approval, a result, or an answer to its question. */
export interface PendingCall {
  /** The call's id. If the call asks a question, the id includes the question: `call_1/question1`. */
  readonly callId: string
  readonly name: string
  /** The name of the agent that made the call. */
  readonly agent?: string
  readonly arguments: Json
  readonly kind: 'approval' | 'result' | 'input'
  readonly reason?: string
  /** With `input`: the question, for the user. */
  readonly message?: string
  /** With `input`: the answer's JSON Schema. */
  readonly schema?: Readonly<Record<string, Json>>
  /** With `input`: a URL for the user to open. A decision confirms that they did. */
  readonly url?: string
}

/**
 * A decision on a pending call. `approve` runs it, optionally with different arguments. `result` provides its result,
 * or the answer to its question; `deny` declines.
 */
export type Decision =
  | { readonly type: 'approve'; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'result'; readonly value: unknown }

/** Decisions by call id. */
export type Decisions = Readonly<Record<string, Decision>>

/** Limits of a run, including its continuations. An absent limit does not apply. */
export interface Limits {
  /** Replies of the model, without the final answer. Default 20. `Infinity` removes the limit. */
  readonly steps?: number
  /** Finished tool calls, including failed ones. */
  readonly toolCalls?: number
  /** Finished tool calls by tool name. */
  readonly perTool?: Readonly<Record<string, number>>
  /**
   * Input and output tokens as reported by servers, or estimated without reports. A request is not sent if its
   * estimated input does not fit. Only a reply's length can exceed the limit: `result.exceeded` then names it.
   */
  readonly tokens?: number
  /** Working time in seconds. Waiting for decisions between runs is not counted. */
  readonly seconds?: number
  /** Generated images. */
  readonly images?: number
  /** Seconds of transcribed audio. */
  readonly audioSeconds?: number
  /** Artifacts stored by tools. */
  readonly artifacts?: number
  /** Bytes of artifacts stored by tools. */
  readonly artifactBytes?: number
  /** Cost in the currency of the agent's price table. Checked like `tokens`. */
  readonly cost?: number
}

/** The limit that ended a run. `ledger`: the budget of its account (`ledger(...)`). */
export type LimitName = keyof Limits | 'ledger'

/** The reason why a run ended. Always set. */
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

/** Returns the calls at the end of the conversation that have no result. */
export function openCalls({ messages }: RunState): readonly ToolCall[] {
  return callsOf(messages.at(-1))
}

/** Whether a pending call is one of these calls, or belongs to a child run of one. */
export function isOfCall(callId: string, ids: ReadonlySet<string>): boolean {
  // A call of a child run has the ids of the calls above it in front. Ids have at most 64 parts.
  return callId.split('/', 64).some((_, at, parts) => ids.has(parts.slice(0, at + 1).join('/')))
}

/** Returns the number of the current step, from 0. */
export function currentStep({ stepCount }: RunState): number {
  return Math.max(0, stepCount - 1)
}
