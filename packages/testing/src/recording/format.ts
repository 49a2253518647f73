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

/** The first line of each recording. A recording with a different version cannot be read. */
export const head = { capstan: 'recording', version: 1 } as const

/**
 * One line of a recording: what happened at a step key, such as `step0/request` or `step0/call1`. Plain JSON without
 * secrets. The line contains no timestamps or random ids, so the recordings of equal runs are equal.
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

/** The start of a run: its agent, and the messages or state that it started with. */
export interface RecordedStart {
  readonly agent: string
  /** The run's id. Absent if it was random. */
  readonly runId?: string
  readonly limits: Limits
  readonly messages?: readonly Message[]
  readonly state?: RunState
}

/** An array of messages, stored as the difference from an earlier array. */
interface RecordedMessages {
  /** The key of the earlier request whose messages this array starts with. Absent if it starts with new messages. */
  readonly after?: string
  /** How many of the earlier request's messages this array starts with. Default: all. */
  readonly keep?: number
  readonly messages: readonly Message[]
}

export interface RecordedRequest extends RecordedMessages {
  readonly model: string
  /** The system message; `null` if there is none. Absent if it is the same as in the previous request. */
  readonly system?: string | null
  /** The offered tools. Absent if they are the same as in the previous request. */
  readonly tools?: readonly ToolDefinition[]
  readonly toolChoice?: WireToolChoice
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream?: true
}

/** One delta of a streamed reply. A string is a delta of the text. */
export type RecordedDelta =
  | string
  | { readonly reasoning: string }
  | {
      readonly call: number
      /**
       * The call's id. Absent if the arguments are redacted. In that case, a replay reports the call only when the
       * reply is complete.
       */
      readonly id?: string
      readonly name: string
      readonly arguments: string
    }

export interface RecordedReply {
  /** The attempts that failed before this reply. */
  readonly retries?: readonly RecordedRetry[]
  /** The deltas of the reply. Absent if it was not streamed. */
  readonly deltas?: readonly RecordedDelta[]
  readonly message: AssistantMessage
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  readonly incomplete?: boolean
  readonly model?: string
  /** The calls that the model wrote as plain text. Absent if there are none. */
  readonly textCalls?: WrittenAsText
  /** Notes on parts of the response that were not interpreted literally. Absent if there are none. */
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

/** A call's result. Its duration is recorded as 0. */
export interface RecordedOutcome {
  /** The name of the tool or of the child agent. */
  readonly name: string
  readonly came: Outcome
}

export function withoutDuration(came: Outcome): Outcome {
  return 'ms' in came ? { ...came, ms: 0 } : came
}

/** An event that is recorded because it explains the course of a run. */
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

/** A run's end: why the run stopped, and its final messages. */
export interface RecordedEnd extends RecordedMessages {
  readonly stopReason: StopReason | 'error'
  readonly limit?: LimitName
  readonly steps: number
  readonly usage: Usage
}

/** Whether a key belongs to one of the run's own steps, not to a child run. */
export function isTopLevelKey(at: string): boolean {
  const key = readStepKey(at)
  return !key || (key.run === '' && key.further === '')
}

/** Whether a key belongs to a child run that a call started, or to one of its steps. */
export function isChildKey(at: string): boolean {
  const key = readStepKey(at)
  return key !== undefined && (key.run !== '' || key.kind === 'child')
}

/**
 * Returns the chain that a request belongs to. A run's own requests form one chain, and each side request forms a
 * separate one.
 */
export function requestChain(at: string): string {
  const key = readStepKey(at)
  return key && isRequestKey(key) ? key.run : at
}

const runIdMark = '[id of the run]'

/** Matches the random ids that runs get by default. */
const randomId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isRandomId(runId: string): boolean {
  return randomId.test(runId)
}

/**
 * Replaces a random run id in a JSON value with a placeholder, because tool results and child states may contain the
 * id.
 */
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

/** The key and the messages of an earlier request. Later arrays may start with these messages. */
interface KnownMessages {
  readonly at: string
  readonly messages: readonly Message[]
}

/** Converts an array of messages to the difference from an earlier array. */
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

/** Whether two values have the same JSON text. The order of keys matters. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Restores an array of messages from the difference.
 * @throws Error if the earlier request is missing
 */
export function expandMessages(
  { after, keep, messages }: RecordedMessages,
  known: (at: string) => readonly Message[] | undefined,
): readonly Message[] {
  if (after === undefined) return messages
  const before = known(after)
  if (!before) throw new Error(`it continues the request ${JSON.stringify(after)}, which is missing`)
  return [...before.slice(0, keep), ...messages]
}
