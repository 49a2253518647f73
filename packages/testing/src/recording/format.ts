import type {
  AssistantMessage,
  Json,
  LimitName,
  Limits,
  Message,
  RunState,
  StopReason,
  TokenUsage,
  ToolDefinition,
  Usage,
  WireNote,
  WireToolChoice,
  WrittenAsText,
} from '@capstan/core'
import { type EventBody, isRequestKey, type Outcome, readStepKey } from '@capstan/core/internal'

/** The first line of a recording. Readers reject other versions. */
export const head = { capstan: 'recording', version: 1 } as const

/**
 * One line of a recording: an event at a step key such as `step0/request` or `step0/call1`. Plain JSON, without
 * secrets. Deterministic: without times and random ids.
 */
export type Line = { readonly run: number; readonly at: string } & LineContent

export type LineContent =
  | { readonly begin: RecordedStart }
  | { readonly request: RecordedRequest }
  | { readonly reply: RecordedReply }
  | { readonly failure: RecordedFailure }
  | { readonly outcome: RecordedOutcome }
  | { readonly given: Json }
  | { readonly now: number }
  | { readonly event: RecordedEvent }
  | { readonly end: RecordedEnd }

/** The start of a run: its messages, or the state that it resumes. */
export interface RecordedStart {
  readonly agent: string
  /** The run id, unless it was random. */
  readonly runId?: string
  readonly limits: Limits
  readonly messages?: readonly Message[]
  readonly state?: RunState
}

/** An array of messages, stored as the difference from an earlier one. */
interface RecordedMessages {
  /** The key of the request whose messages come first. Default: none. */
  readonly after?: string
  /** The number of those messages to keep. Default: all. */
  readonly keep?: number
  readonly messages: readonly Message[]
}

export interface RecordedRequest extends RecordedMessages {
  readonly model: string
  /** The system message. `null` means none. Default: same as in the previous request. */
  readonly system?: string | null
  /** The offered tools. Default: same as in the previous request. */
  readonly tools?: readonly ToolDefinition[]
  readonly toolChoice?: WireToolChoice
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream?: true
}

/** A delta of a streamed reply; text is a plain string. */
export type RecordedDelta =
  | string
  | { readonly reasoning: string }
  | {
      readonly call: number
      /**
       * The call's id. Absent if the arguments are redacted: the run then reports the call only with its complete
       * reply.
       */
      readonly id?: string
      readonly name: string
      readonly arguments: string
    }

export interface RecordedReply {
  /** Failed attempts that preceded the reply. */
  readonly retries?: readonly RecordedRetry[]
  /** The deltas, if the reply was streamed. */
  readonly deltas?: readonly RecordedDelta[]
  readonly message: AssistantMessage
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  readonly incomplete?: boolean
  readonly model?: string
  /** Calls that the model wrote as text. Absent for other replies. */
  readonly textCalls?: WrittenAsText
  /** Notes on parts of the response that were interpreted differently from what was received. Absent if there are none. */
  readonly notes?: readonly WireNote[]
}

export interface RecordedRetry {
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
  readonly message: string
  readonly model?: string
}

export interface RecordedFailure {
  readonly code: string
  readonly message: string
  readonly retries?: readonly RecordedRetry[]
  readonly retryable?: true
  readonly retryAfterMs?: number
  readonly status?: number
}

/** The result of a call, without its duration. */
export interface RecordedOutcome {
  /** The name of the tool or the child agent. */
  readonly name: string
  readonly came: Outcome
}

export function withoutDuration(came: Outcome): Outcome {
  return 'ms' in came ? { ...came, ms: 0 } : came
}

/** The recorded events: events that explain the course of a run. */
export type RecordedEvent = Extract<EventBody, { readonly type: (typeof recordedEventTypes)[number] }>

export const recordedEventTypes = [
  'repair-applied',
  'call-pending',
  'limit-reached',
  'stuck-detected',
  'tools-revealed',
  'run-tainted',
  'text-calls',
  'final-answer-failed',
  'handed-off',
  'message-delivered',
  'context-trimmed',
  'context-over',
  'context-lost',
  'effects-left-behind',
  'prefix-broken',
  'middleware',
] as const

/** The end of a run. */
export interface RecordedEnd extends RecordedMessages {
  readonly stopReason: StopReason | 'error'
  readonly limit?: LimitName
  readonly steps: number
  readonly usage: Usage
}

/** Whether a key belongs to a host step of the outermost run. */
export function isTopLevelKey(at: string): boolean {
  const key = readStepKey(at)
  return !key || (key.run === '' && key.further === '')
}

/** Whether a key belongs to a call's child run, or to one of its steps. */
export function isChildKey(at: string): boolean {
  const key = readStepKey(at)
  return key !== undefined && (key.run !== '' || key.kind === 'child')
}

/** Returns the chain of a request. The requests of a run form one chain; each side request starts its own. */
export function requestChain(at: string): string {
  const key = readStepKey(at)
  return key && isRequestKey(key) ? key.run : at
}

const runIdMark = '[id of the run]'

/** Matches a random run id, in the form of the default ids. */
const randomId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isRandomId(runId: string): boolean {
  return randomId.test(runId)
}

/** Returns a JSON value without its random run id, which tool results and child states may contain. */
export function withoutRunId<T>(value: T, runId: string): T {
  return JSON.parse(jsonWithoutRunId(value, runId))
}

export function jsonWithoutRunId(value: unknown, runId: string): string {
  const json = JSON.stringify(value)
  return isRandomId(runId) ? json.replaceAll(runId, runIdMark) : json
}

export function withRunId<T>(value: T, runId: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(runIdMark, runId))
}

/** An array of messages that later ones may start with, and its request. */
interface KnownMessages {
  readonly at: string
  readonly messages: readonly Message[]
}

/** Returns the difference between an array of messages and an earlier one. */
export function compressMessages(
  messages: readonly Message[],
  before: KnownMessages | undefined,
): RecordedMessages {
  const most = Math.min(messages.length, before?.messages.length ?? 0)
  let keep = 0
  while (keep < most && isSameJson(messages[keep], before?.messages[keep])) keep += 1
  if (!before) return { messages }
  const all = keep === before.messages.length
  return { after: before.at, ...(all ? {} : { keep }), messages: messages.slice(keep) }
}

/** Whether two values have the same JSON text. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Restores an array of messages. @throws Error if it continues a request that is missing */
export function expandMessages(
  { after, keep, messages }: RecordedMessages,
  known: (at: string) => readonly Message[] | undefined,
): readonly Message[] {
  if (after === undefined) return messages
  const before = known(after)
  if (!before) throw new Error(`it continues the request ${JSON.stringify(after)}, which is missing`)
  return [...before.slice(0, keep), ...messages]
}
