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
export type Line = { readonly run: number; readonly at: string } & What

export type What =
  | { readonly begin: Beginning }
  | { readonly request: WrittenRequest }
  | { readonly reply: WrittenReply }
  | { readonly failure: WrittenFailure }
  | { readonly outcome: WrittenOutcome }
  | { readonly given: Json }
  | { readonly now: number }
  | { readonly event: TellingEvent }
  | { readonly end: Ending }

/** What a run starts from; one that goes on with a state, from that. */
export interface Beginning {
  readonly agent: string
  /** The run's, where it is not one of chance. */
  readonly runId?: string
  readonly limits: Limits
  readonly messages?: readonly Message[]
  readonly state?: RunState
}

/** A list of messages, as what is new in it. */
export interface WrittenMessages {
  /** The request whose messages come first. Default: none. */
  readonly after?: string
  /** How many of them. Default: all. */
  readonly keep?: number
  readonly messages: readonly Message[]
}

export interface WrittenRequest extends WrittenMessages {
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
export type WrittenDelta =
  | string
  | { readonly reasoning: string }
  | { readonly call: number; readonly name: string; readonly arguments: string }

export interface WrittenReply {
  /** Failures before it. */
  readonly retries?: readonly WrittenRetry[]
  /** What of it was streamed, where it was. */
  readonly deltas?: readonly WrittenDelta[]
  readonly message: AssistantMessage
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  readonly incomplete?: boolean
  readonly model?: string
}

export interface WrittenRetry {
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
  readonly message: string
  readonly model?: string
}

export interface WrittenFailure {
  readonly code: string
  readonly message: string
  readonly retries?: readonly WrittenRetry[]
  readonly retryable?: true
  readonly retryAfterMs?: number
  readonly status?: number
}

/** What a call came to: its outcome, without how long it took. */
export interface WrittenOutcome {
  /** The tool's, or the agent's. */
  readonly name: string
  readonly came: Outcome
}

export function withoutTime(came: Outcome): Outcome {
  return 'ms' in came ? { ...came, ms: 0 } : came
}

/** Events that say why a run went as it did. */
export type TellingEvent = Extract<EventBody, { readonly type: (typeof tellingTypes)[number] }>

export const tellingTypes = [
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
export interface Ending extends WrittenMessages {
  readonly stopReason: StopReason | 'error'
  readonly limit?: LimitName
  readonly steps: number
  readonly usage: Usage
}
