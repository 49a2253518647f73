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
  WireToolChoice,
} from '@capstan/core'
import type { EventBody, Outcome } from '@capstan/core/internal'

/** The first line of a recording. A reader of another version must not guess. */
export const head = { capstan: 'recording', version: 1 } as const

/**
 * One line of a recording: what happened at a place of a run, such as `t0/model` or `t0/tool1`. Plain JSON, redacted,
 * and the same whenever the same happens: no times, no ids of chance.
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

/** What a run starts from; one that goes on with a state, from that. */
export interface RecordedStart {
  readonly agent: string
  /** The run's, where it is not one of chance. */
  readonly runId?: string
  readonly limits: Limits
  readonly messages?: readonly Message[]
  readonly state?: RunState
}

/** A list of messages, as what is new in it. */
interface RecordedMessages {
  /** The request whose messages come first. Default: none. */
  readonly after?: string
  /** How many of them. Default: all. */
  readonly keep?: number
  readonly messages: readonly Message[]
}

export interface RecordedRequest extends RecordedMessages {
  readonly model: string
  /** The instructions, which come first; null: none. Default: those of the request that this one comes after. */
  readonly system?: string | null
  /** Default: those of the request that this one comes after. */
  readonly tools?: readonly ToolDefinition[]
  readonly toolChoice?: WireToolChoice
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream?: true
}

/** A piece of a streamed answer: text as itself. */
export type RecordedDelta =
  | string
  | { readonly reasoning: string }
  | { readonly call: number; readonly name: string; readonly arguments: string }

export interface RecordedReply {
  /** Failures before it. */
  readonly retries?: readonly RecordedRetry[]
  /** What of it was streamed, where it was. */
  readonly deltas?: readonly RecordedDelta[]
  readonly message: AssistantMessage
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  readonly incomplete?: boolean
  readonly model?: string
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

/** What a call came to: its outcome, without how long it took. */
export interface RecordedOutcome {
  /** The tool's, or the agent's. */
  readonly name: string
  readonly came: Outcome
}

export function withoutDuration(came: Outcome): Outcome {
  return 'ms' in came ? { ...came, ms: 0 } : came
}

/** Events that say why a run went as it did. */
export type RecordedEvent = Extract<EventBody, { readonly type: (typeof recordedEventTypes)[number] }>

export const recordedEventTypes = [
  'repair-applied',
  'call-pending',
  'limit-reached',
  'stuck-detected',
  'run-tainted',
  'landing-failed',
  'handed-off',
  'message-delivered',
  'context-trimmed',
] as const

/** How a run ended. */
export interface RecordedEnd extends RecordedMessages {
  readonly stopReason: StopReason | 'error'
  readonly limit?: LimitName
  readonly steps: number
  readonly usage: Usage
}

/**
 * Where in a run a step of it is: its key, with those of the runs around it, such as `t0/child1/t0/model`. An
 * idempotency key is a run's id and that.
 */
export function splitIdempotencyKey(idempotencyKey: string): { readonly runId: string; readonly at: string } {
  const start = /\/t\d+\/(?:model|landing|child\d+)/.exec(idempotencyKey)
  if (!start) return { runId: '', at: idempotencyKey }
  return { runId: idempotencyKey.slice(0, start.index), at: idempotencyKey.slice(start.index + 1) }
}

/** Whether a place is of the run itself, and of none within it. */
export function isTopLevelKey(at: string): boolean {
  return at.split('/').length <= 2
}

/** Whether a place is of a run that answers a call. */
export function isChildKey(at: string): boolean {
  return /(?:^|\/)child\d/.test(at)
}

/** The order in which things happen, whichever of those side by side was first. Places alike keep their order. */
export function compareKeys(one: string, other: string): number {
  const [ones, others] = [one.split('/'), other.split('/')]
  for (let at = 0; at < Math.min(ones.length, others.length); at++) {
    const [a, b] = [keyRank(ones[at] ?? ''), keyRank(others[at] ?? '')]
    const difference = a.phase - b.phase || a.number - b.number || a.round - b.round
    if (difference !== 0) return difference
  }
  // What is inside something happens before that is over; what is asked again, after.
  const longer = ones.length > others.length ? ones : others
  return (others.length - ones.length) * (longer.at(-1) === 'again' ? -1 : 1)
}

/** In a turn: the model is asked, calls run, agents answer, decisions come, and it is over. */
const phases = [
  'begin',
  't',
  'model',
  'again',
  'aside-',
  'tool',
  'child',
  'pending',
  'decided',
  'landing',
  'end',
]

function keyRank(part: string) {
  const [, name = part, number = '0', round = '0'] = /^([a-z-]+?)(\d+)?(?:r(\d+))?$/.exec(part) ?? []
  const phase = phases.indexOf(name)
  return { phase: phase === -1 ? phases.length : phase, number: Number(number), round: Number(round) }
}

/**
 * The run that a request is of, by its place: requests of one run follow each other. What is asked beside them is by
 * itself.
 */
export function requestChain(at: string): string {
  return at.replace(/(?:^|\/)t\d+\/(?:model|landing)(?:\/again)?$/, '')
}

const runIdMark = '[id of the run]'

/** An id that was made by chance, such as the usual ones of runs: another run has another. */
const randomId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isRandomId(runId: string): boolean {
  return randomId.test(runId)
}

/** What JSON keeps of a value, without the id of its run: tools may tell it, and so may states within. */
export function withoutRunId<T>(value: T, runId: string): T {
  const json = JSON.stringify(value)
  return JSON.parse(isRandomId(runId) ? json.replaceAll(runId, runIdMark) : json)
}

/** The value as it is in this run. */
export function withRunId<T>(value: T, runId: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(runIdMark, runId))
}

/** A list that others may begin with, and the request that asked with it. */
interface KnownMessages {
  readonly at: string
  readonly messages: readonly Message[]
}

/** What a list adds to one that it begins like. */
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

/** Whether two values are the same JSON. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** The list again. @throws Error when it begins with one that nobody knows */
export function expandMessages(
  { after, keep, messages }: RecordedMessages,
  known: (at: string) => readonly Message[] | undefined,
): readonly Message[] {
  if (after === undefined) return messages
  const before = known(after)
  if (!before) throw new Error(`it comes after ${JSON.stringify(after)}, which is not there`)
  return [...before.slice(0, keep), ...messages]
}
