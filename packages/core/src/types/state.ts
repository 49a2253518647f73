import type { Artifact } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { CountedRequest, Spending, Usage } from '../usage.js'
import { callsOf, type Message, type MessageMedia, type ToolCall } from './message.js'

/**
 * A run as plain JSON, from which any process can resume it. If its messages end in open tool calls, the run resumes
 * with these calls.
 */
export interface RunState {
  readonly schema: 1
  readonly runId: string
  /** The name of the current agent, which a handoff changes. */
  agent: string
  /** Hash of all tools that the run can reach, to detect changes before it is resumed. */
  readonly definitionHash: string
  /** The number of model replies so far. */
  stepCount: number
  /** The entire conversation, with the input and without the instructions. */
  readonly messages: Message[]
  /**
   * The id of the run whose reply made the open calls, if a run with a different id has resumed that run. The calls'
   * idempotency keys keep this id.
   */
  begunBy?: string
  /** Child runs for calls of the open step that need a decision, by call index. */
  children?: Record<number, StoredChild>
  /**
   * Decisions on pending calls that have not been applied yet. To apply them, pass them as the run option `decisions`.
   */
  decisions?: Decisions
  /** The artifacts that calls have created, without duplicates, oldest first. */
  artifacts?: readonly Artifact[]
  /** Facts about the reply whose calls are open, for the result of its step. */
  reply?: ReplyFacts | undefined
  /** Fields of the last response other than text and calls, such as `citations`. */
  extra?: Readonly<Record<string, Json>>
  /** The validated structured output, set when the run is done. */
  output?: Json
  /** Results of the open step's finished calls, by call index. Kept until all calls of the step have finished. */
  results: Record<number, CallResult>
  /** Calls that need a decision from the caller. */
  pending: PendingCall[]
  usage: Usage
  readonly limits: Limits
  stopReason?: StopReason
  /** The limit that was reached, if `stopReason` is `limit`. */
  limit?: LimitName
  /** Facts about earlier steps that affect later ones. */
  flags: Flags
  /** The middlewares' own state, by middleware name. */
  kept: Record<string, Json>
  /** The names of tools for which a call has been approved in this run. */
  approved?: readonly string[]
  /** The untrusted source whose text the model has read, usually a tool. */
  taintedBy?: string
  /** Warnings for the caller, oldest first. */
  warnings?: readonly string[]
}

/** Facts about a model reply that are not in its message. */
export interface ReplyFacts {
  readonly model: string
  readonly ms: number
  /** The requests of the step. The last request got the reply. */
  readonly requests: readonly CountedRequest[]
  /** Spending for the files in the reply. */
  readonly spent?: readonly Spending[] | undefined
  readonly finishReason?: string | undefined
  readonly response?: ResponseFacts | undefined
}

/** A child run that needs a decision before it can continue. */
export interface StoredChild {
  readonly state: RunState
  /** How many times the child run has been resumed. */
  readonly round: number
  readonly notes?: ResultNotes
}

export interface Flags {
  /** True after a request has forced a tool call. Later requests to the same agent do not force one. */
  toolForced?: boolean
  /** True if the end of the last text is missing. */
  incomplete?: boolean
  /** True after the final answer has been requested. */
  finalAsked?: boolean
  /** The number of replies that were final answers, which do not count as steps. */
  finalReplies?: number
  /** The message of the error that made a child run fail. */
  failure?: string
  /** True if the model's last reply was empty. */
  emptyReply?: boolean
  /** The limit that a call of the last step would have exceeded. */
  wouldExceed?: LimitName
  /** The usage of the last request. The next request is expected to use more. */
  lastRequest?: { readonly tokens: number; readonly cost: number }
  /** The number of consecutive rejected calls, by tool name. */
  rejections?: Readonly<Record<string, number>>
}

/**
 * How a call ended. `rejected`: the name or arguments were invalid, so the function did not run. `denied`: a policy or
 * a user denied the call. `cut_off`: the function was stopped while it was running. `not_run`: the run stopped before
 * the call started.
 */
export type ResultStatus = 'ok' | 'error' | 'rejected' | 'denied' | 'cut_off' | 'not_run'

/** The result of one call, for the model and for the caller, as plain JSON. */
export interface CallResult {
  readonly status: ResultStatus
  /** The content of the tool message. */
  readonly content: string
  /** The tool's return value as JSON. Absent if it returned nothing or did not succeed. */
  readonly result?: Json
  /** The artifacts that the result contains. */
  readonly artifacts?: readonly Artifact[]
  /**
   * Files of the tool message: images that requests contain, and files that were in the message's text. `artifacts`
   * contains these files too.
   */
  readonly media?: readonly MessageMedia[]
  /** The artifact with the complete text, if `content` was shortened. */
  readonly whole?: Artifact
  /** Whether values of the arguments were repaired to fit the schema. */
  readonly repaired?: boolean
  /** Whether a user approved the call. */
  readonly approved?: boolean
  /** The arguments that were used, if a user changed them. */
  readonly arguments?: Json
  /** The usage of the child run, if the tool is an agent. */
  readonly usage?: Usage
  /** The untrusted source of the text, if the tool's child run, or an artifact that the tool opened, had one. */
  readonly taintedBy?: string
  /** What the call spent, even if it failed. */
  readonly spent?: readonly Spending[]
  /** The id that the model gets instead of the error's message, and that the `tool-end` event contains. */
  readonly errorId?: string
  /** The limit that the call would have exceeded, or that stopped it. */
  readonly limit?: LimitName
  /**
   * Whether the function is still running in the background. Until it has finished, `content` tells the model that it
   * was started.
   */
  readonly background?: boolean
  /** The calls that this call made, such as those of a program. In `result.toolCalls`, they follow this call. */
  readonly calls?: readonly AnyToolCall[]
  /** Duration of the tool's function in milliseconds. */
  readonly ms: number
}

/** A finished call with its result, as the run keeps it. */
export interface CallRecord extends CallResult {
  readonly callId: string
  readonly name: string
  /** The step that made the call, from 0. */
  readonly step: number
  /** The arguments as they are in the messages. */
  readonly arguments: Json
}

/** A finished call to any tool. */
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
  /** The content of the tool message that the model got. */
  readonly content: string
  /** The artifacts in the result. Absent if there are none. */
  readonly artifacts?: readonly Artifact[]
  /** True if a user approved the call. */
  readonly approved?: boolean
  /** True if values of the arguments were repaired to fit the schema. */
  readonly repaired?: boolean
  /** The id that the model got instead of the error's message. */
  readonly errorId?: string
  /** The tool that made the call, such as `run_program`. Absent if the model made it. */
  readonly via?: string
  /**
   * The id of that tool's own call. `callId` starts with this id: `call_1/call0`. Absent if the model made the call.
   */
  readonly parentCallId?: string
}

/** One step of a run: a model reply with its calls. The types of the calls do not depend on the agent's tools. */
export interface AnyStep {
  /** The number of the reply in the run, from 0. A call's `step` is the same number. */
  readonly step: number
  readonly text: string
  /** The model's reasoning. Absent if the server sent none. */
  readonly reasoning?: string | undefined
  /** The reply's finished calls, in call order. */
  readonly toolCalls: readonly AnyToolCall[]
  /** Why the reply ended: `stop`, `tool_calls`, `length`, ... Absent if the server sent no reason. */
  readonly finishReason?: string | undefined
  /** The usage of this step only: of its requests, its calls and their child runs. `seconds` is absent. */
  readonly usage: Usage
  /** The cost of `usage`. All step costs add up to the run's cost. Absent without a price table. */
  readonly cost?: Usage['cost']
  /** The name of the model that replied. For a reply that Capstan did not request, the name of the agent's model. */
  readonly model: string
  /** Milliseconds from the request to the complete reply, including retries. 0 if not measured. */
  readonly ms: number
  readonly response: StepResponse
}

/** The server's metadata for one response. */
export interface ResponseFacts {
  /** The server's id for the reply. */
  readonly id?: string | undefined
  /** The model name that the server reports, often the requested one with a version. */
  readonly model?: string | undefined
  readonly systemFingerprint?: string | undefined
  /** Response headers with request ids and rate limits, by lower-case name. Absent if there are none. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Fields of a step's response other than the message. */
export interface StepResponse extends ResponseFacts {
  /** The log probabilities of the tokens, if the settings ask for them: `{ logprobs: true }`. */
  readonly logprobs?: Json
  /**
   * Other fields that the server sent next to the message, as received: `citations`, `service_tier`. `hosted` contains
   * calls to tools that the server ran itself, and the sources: `{ calls, sources }`.
   */
  readonly [field: string]: Json | undefined
}

/** Facts about a call that are known before its result. */
export type ResultNotes = Pick<CallResult, 'repaired' | 'approved' | 'arguments'>

/**
 * The outcome of a call: its result, a decision that it needs, the input of an agent to run, or a paused agent's state.
 */
export type Outcome = CallResult | PendingOutcome | ReadyOutcome | PausedOutcome

/** An allowed call to a tool that is an agent, which has yet to run. */
export interface ReadyOutcome {
  readonly status: 'ready'
  /** The input for the agent's run. */
  readonly input: string
  readonly notes: ResultNotes
}

/** A call to an agent whose run needs a decision. */
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

/** A call that needs approval, a result, or an answer to its question. */
export interface PendingCall {
  /** The call's id. If the call asks a question, the id includes the question: `call_1/question1`. */
  readonly callId: string
  readonly name: string
  /** The name of the agent that made the call. */
  readonly agent?: string
  readonly arguments: Json
  readonly kind: 'approval' | 'result' | 'input'
  readonly reason?: string
  /** The question for the user, if `kind` is `input`. */
  readonly message?: string
  /** The JSON Schema of the answer, if `kind` is `input`. */
  readonly schema?: Readonly<Record<string, Json>>
  /** A URL for the user to open, if `kind` is `input`. A decision confirms that the user has opened it. */
  readonly url?: string
}

/**
 * A decision on a pending call. `approve` runs the call, optionally with different arguments. `result` provides the
 * call's result, or the answer to its question. `deny` declines the call; the model gets the `reason`.
 */
export type Decision =
  | { readonly type: 'approve'; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'result'; readonly value: unknown }

/** Decisions by call id. */
export type Decisions = Readonly<Record<string, Decision>>

/**
 * A run's limits. Resuming a run does not reset them: usage before the resume counts too. Limits that are not set do
 * not apply.
 */
export interface Limits {
  /** Maximum number of model replies, not counting the final answer. Default 20. `Infinity` removes the limit. */
  readonly steps?: number
  /** Maximum number of finished tool calls, including failed ones. */
  readonly toolCalls?: number
  /** Maximum number of finished calls, by tool name. */
  readonly perTool?: Readonly<Record<string, number>>
  /**
   * Maximum number of input and output tokens, as reported by servers, or estimated if they report none. A request is
   * not sent if its estimated input does not fit. Only a long reply can exceed the limit. If one does,
   * `result.exceeded` lists the limit.
   */
  readonly tokens?: number
  /** Maximum working time in seconds. Waiting for decisions between runs is not counted. */
  readonly seconds?: number
  /** Maximum number of generated images. */
  readonly images?: number
  /** Maximum seconds of transcribed audio. */
  readonly audioSeconds?: number
  /** Maximum number of artifacts that tools may store. */
  readonly artifacts?: number
  /** Maximum total size of artifacts that tools may store, in bytes. */
  readonly artifactBytes?: number
  /** Maximum cost, in the currency of the agent's price table. Checked like `tokens`. */
  readonly cost?: number
}

/** The limit that ended a run. `ledger`: the budget of the run's account, see `ledger(...)`. */
export type LimitName = keyof Limits | 'ledger'

/** Why a run ended. Every result has a stop reason. */
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

/** Whether a pending call is one of these calls, or was made in a child run of one of them. */
export function isOfCall(callId: string, ids: ReadonlySet<string>): boolean {
  // The id of a call in a child run starts with the ids of the calls above it. At most 64 parts are read.
  return callId.split('/', 64).some((_, at, parts) => ids.has(parts.slice(0, at + 1).join('/')))
}

/** Returns the number of the current step, from 0. */
export function currentStep({ stepCount }: RunState): number {
  return Math.max(0, stepCount - 1)
}
