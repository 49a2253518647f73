import type { Artifact } from '../artifacts/artifact.js'
import type { ErrorCode } from '../errors.js'
import type { Usage } from '../usage.js'
import type { Message } from './message.js'
import type { CallStatus, LimitName, PendingCall, StopReason } from './state.js'

/** What happened in a run, in the order it happened. */
export type RunEvent = Stamp & EventBody

/** What every event carries. */
export interface Stamp {
  readonly runId: string
  /** Counts the run's events from 0. */
  readonly seq: number
}

/** An event before it is stamped; `step` counts the model's answers from 0. */
export type EventBody = {
  readonly step: number
  /** Of an agent that answers a call of this run: the call, or `call/inner call` for one within it. */
  readonly parentCallId?: string
} & (
  | { readonly type: 'run-start'; readonly agent: string }
  | { readonly type: 'step-start' }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'call-delta'
      readonly index: number
      readonly name: string
      /** The newest fragment, not the whole. */
      readonly arguments: string
    }
  | ({ readonly type: 'call-ready'; readonly arguments: string } & CallRef)
  | ({
      readonly type: 'repair-applied' /** What was mended, in words. */
      readonly repairs: readonly string[]
    } & CallRef)
  | ({ readonly type: 'tool-start'; readonly arguments: unknown } & CallRef)
  | ({ readonly type: 'tool-progress'; readonly value: unknown } & CallRef)
  | ({
      readonly type: 'artifact-stored' /** Of bytes that were there before, what they were first described as. */
      readonly artifact: Artifact
    } & CallRef)
  | ({
      readonly type: 'tool-end'
      readonly status: CallStatus
      readonly ms: number
      /** What the model is told. */
      readonly content: string
      readonly artifacts: readonly Artifact[]
      /** The reference that the model reads in place of the error's message. */
      readonly errorId?: string
      /** The error itself, in the process where the call failed. Not enumerable: it is never stored or sent. */
      readonly error?: unknown
    } & CallRef)
  | {
      readonly type: 'retry-scheduled'
      /** Counts from 1. What was streamed of this step's answer is void: it begins anew. */
      readonly attempt: number
      readonly delayMs: number
      readonly code: ErrorCode
      readonly message: string
      /** The model that is asked instead, when it is another one. */
      readonly model?: string
    }
  | {
      readonly type: 'message-added'
      readonly message: Message
      /** Fields that the server sent and the message does not hold: nested too deep, or too long. */
      readonly omitted?: readonly string[]
    }
  | ({ readonly type: 'call-pending' } & PendingCall)
  | { readonly type: 'limit-reached'; readonly limit: LimitName }
  | {
      readonly type: 'stuck-detected'
      /** What is done about it. */
      readonly stage: 'tell' | 'withhold' | 'land'
      /** The tools whose calls repeat. */
      readonly names: readonly string[]
    }
  | {
      readonly type: 'run-tainted' /** The source that is not trusted: a tool, as a rule. */
      readonly by: string
    }
  | {
      readonly type: 'landing-failed' /** The run ends as it would have, without a last answer. */
      readonly code: ErrorCode
      readonly message: string
    }
  | {
      readonly type: 'handed-off' /** The agent that goes on with the conversation. */
      readonly to: string
    }
  | {
      readonly type: 'message-delivered' /** What the caller sent to the run. */
      readonly text: string
    }
  | {
      readonly type: 'context-trimmed' /** Messages of the run, and those that this request shows. */
      readonly before: number
      readonly after: number
    }
  | {
      readonly type: 'step-replayed' /** Its key: what it came to was recorded, and it was not done again. */
      readonly key: string
    }
  | { readonly type: 'step-end'; readonly usage: Usage }
  | { readonly type: 'run-end'; readonly stopReason: StopReason | 'error'; readonly usage: Usage }
)

interface CallRef {
  readonly callId: string
  readonly name: string
}

/** Takes events, at once and without an answer. Absent when nobody listens, so that no event is even made. */
export type Emit = ((event: EventBody) => void) | undefined

/** An event with other fields. The error of a call stays on it. */
export function withFields<Event extends object, Fields extends object>(
  event: Event,
  fields: Fields,
): Event & Fields {
  const copy = { ...event, ...fields }
  return 'error' in event ? withError(copy, event.error) : copy
}

/** Sets the error of a `tool-end` event. */
export function withError<Event extends object>(event: Event, error: unknown): Event {
  return Object.defineProperty(event, 'error', { value: error })
}
