import type { Artifact } from '../artifacts/artifact.js'
import type { ErrorCode } from '../errors.js'
import type { Json } from '../json.js'
import type { Spending, Usage } from '../usage.js'
import type { DataPart, Message } from './message.js'
import type { WrittenAsText } from './model.js'
import type { AnyStep, LimitName, PendingCall, ResultStatus, StopReason } from './state.js'

/**
 * An event of a run. Events arrive in the order in which they happened. `run.on` and the iteration of a run know the
 * tools of its agent.
 */
export type RunEvent<Step extends AnyStep = AnyStep> = Stamp & EventBody<Step>

/** The fields of every event. */
export interface Stamp {
  readonly runId: string
  /** Counts the run's events from 0. */
  readonly seq: number
}

/** An event without run id and sequence number. `step` counts the model's replies from 0. */
export type EventBody<Step extends AnyStep = AnyStep> = {
  readonly step: number
  /** The id of the call that started the child run, or `call/inner call` if runs are nested. */
  readonly parentCallId?: string
} & (
  | { readonly type: 'run-start'; readonly agent: string }
  | { readonly type: 'step-start' }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | ({
      readonly type: 'call-delta'
      readonly index: number
      /**
       * The newest fragment of the arguments. Joined, a call's fragments are what the model wrote. A call that the
       * final reply does not contain has no `call-ready`.
       */
      readonly arguments: string
    } & ToolRef)
  | ({ readonly type: 'call-ready'; readonly arguments: string } & ToolRef)
  | ({
      readonly type: 'repair-applied'
      /** Descriptions of the repairs. */
      readonly repairs: readonly string[]
    } & ToolRef)
  | ({ readonly type: 'tool-start'; readonly arguments: unknown } & ToolRef)
  | ({ readonly type: 'tool-progress'; readonly value: unknown } & ToolRef)
  | (DataPart & { readonly value: unknown } & ToolRef)
  | ({
      readonly type: 'artifact-stored'
      /** The stored artifact. If the bytes were stored before, it has their first description. */
      readonly artifact: Artifact
    } & (ToolRef | ModelRef))
  | ({
      readonly type: 'tool-end'
      readonly status: ResultStatus
      readonly ms: number
      /** The content of the tool message. */
      readonly content: string
      readonly artifacts: readonly Artifact[]
      /** The paid units that the call reported. Absent if there are none. */
      readonly spent?: readonly Spending[]
      /**
       * What the call and its child run cost, by the agent's price table. `unknown` if a price is missing. Absent
       * without a table, and if the call spent nothing.
       */
      readonly cost?: number | 'unknown'
      /** The reference that the model gets instead of the error's message. */
      readonly errorId?: string
      /**
       * Whether the function runs in the background while the model continues. Another `tool-end` then has the
       * result.
       */
      readonly background?: boolean
      /** The error itself, in the process where the call failed. Not enumerable, so that it is never stored or sent. */
      readonly error?: unknown
    } & ToolRef)
  | {
      readonly type: 'retry-scheduled'
      /** Counts from 1. Discard the text streamed for this step so far: the reply starts again. */
      readonly attempt: number
      readonly delayMs: number
      readonly code: ErrorCode
      readonly message: string
      /** The name of the fallback model, if another model gets the request. */
      readonly model?: string
    }
  | {
      /**
       * The process of the run died, and another one continues from the state before its last step. If the reply starts
       * again, discard the step's text streamed so far. Emitted by servers, not by `agent.stream`.
       */
      readonly type: 'run-recovered'
    }
  | {
      readonly type: 'message-added'
      readonly message: Message
      /** Server fields that were omitted from the message: nested too deeply, or too long. */
      readonly omitted?: readonly string[]
    }
  | ({ readonly type: 'call-pending' } & PendingCall)
  | { readonly type: 'limit-reached'; readonly limit: LimitName }
  | {
      readonly type: 'stuck-detected'
      /** The reaction: a warning, disabled tools or a final answer. */
      readonly stage: 'warn' | 'disable' | 'stop'
      /** The tools with repeated calls. */
      readonly names: readonly string[]
    }
  | {
      readonly type: 'tools-revealed'
      /** Deferred tools that the agent's requests contain from now on, or whose parameters the model has read. */
      readonly names: readonly string[]
      /** The search words that found them. Absent for tools called by name, and tools from `prepareStep`. */
      readonly query?: string
    }
  | {
      readonly type: 'run-tainted'
      /** The untrusted source, usually a tool. */
      readonly by: string
    }
  | ({
      readonly type: 'text-calls'
    } & WrittenAsText)
  | {
      readonly type: 'final-answer-failed'
      /** The code of the failure. The run ends without a final answer. */
      readonly code: ErrorCode
      readonly message: string
    }
  | {
      readonly type: 'handed-off'
      /** The agent that continues the conversation. */
      readonly to: string
    }
  | {
      readonly type: 'message-delivered'
      /** The text that the caller sent to the run. */
      readonly text: string
    }
  | {
      readonly type: 'context-trimmed'
      /** The name of the middleware that omits more than before. */
      readonly by: string
      /** The number of messages before and after. */
      readonly before: number
      readonly after: number
      /** Estimated tokens of a request with these messages, instructions and tools included. */
      readonly tokens: { readonly before: number; readonly after: number }
    }
  | {
      readonly type: 'context-over'
      /** Estimated tokens of the shortest request. It was not sent. */
      readonly tokens: number
      readonly maxTokens: number
      readonly parts: {
        readonly instructions: number
        readonly tools: number
        /** The number of messages that stay, without the newest step. */
        readonly messages: number
        readonly newest: number
      }
    }
  | {
      readonly type: 'prefix-broken'
      /** The first part of this request that differs from the previous request: a tool, a message, or the instructions. */
      readonly at: 'instructions' | `tools[${number}]` | `messages[${number}]`
      /** The name of the middleware that changed it; `instructions`, `handoff` or `server` if none did. */
      readonly because: string
    }
  | {
      /**
       * The run is in a new branch of its session, and the messages after the cut contain calls that may have had
       * effects.
       */
      readonly type: 'effects-left-behind'
      /** Successful calls after the cut, of tools that may change something. Their effects are not undone. */
      readonly calls: readonly {
        readonly callId: string
        readonly name: string
        /** As the model wrote them. */
        readonly arguments: string
      }[]
    }
  | {
      readonly type: 'context-lost'
      /** The tokens that the request should have, as the server counts them. */
      readonly sent: number
      /** The tokens that the server reports. */
      readonly reported: number
      /** The largest prompt that it has reported: about its context window. */
      readonly window: number
    }
  | {
      readonly type: 'step-replayed'
      /** The key of the step. Its recorded value was used, and its work was not repeated. */
      readonly key: string
    }
  | {
      readonly type: 'middleware'
      /** The name of the middleware. */
      readonly name: string
      /** The action, in a word or two: `retry`, `cache-hit`. */
      readonly action: string
      /** The id of the call, if the event is about one. */
      readonly callId?: string
      readonly data?: Json
    }
  | (StepEnd<Step> & { readonly parentCallId?: undefined })
  | (StepEnd<AnyStep> & { readonly parentCallId: string })
  | { readonly type: 'run-end'; readonly stopReason: StopReason; readonly usage: Usage }
  | {
      readonly type: 'run-end'
      readonly stopReason: 'error'
      readonly usage: Usage
      /** The code of the error that the run throws. */
      readonly code: ErrorCode
      /** Its message, without credentials. */
      readonly message: string
    }
)

export interface StepEnd<Step extends AnyStep> {
  readonly type: 'step-end'
  /** The run's usage so far. `result.usage` is the step's usage. */
  readonly usage: Usage
  /** The step's cost, including its calls. `unknown` if a price is missing. Absent without a price table. */
  readonly cost?: number | 'unknown'
  /** The step, as in `result.steps`. Not enumerable, so it is not stored or sent. */
  readonly result: Step
}

export interface ToolRef {
  readonly callId: string
  readonly name: string
}

/** The source of an artifact that a model made in its reply, not in a call. */
export interface ModelRef {
  readonly model: string
  readonly callId?: undefined
  readonly name?: undefined
}

/** Receives events synchronously. Undefined without a listener, so that no event is created. */
export type Emit = ((event: EventBody) => void) | undefined

/** Returns a copy of an event with other fields. Fields that are not enumerable are kept. */
export function withFields<Event extends object, Fields extends object>(
  event: Event,
  fields: Fields,
): Event & Fields {
  const copy: Event & Fields = { ...event, ...fields }
  for (const name of ['error', 'result'] as const)
    if (name in event && !(name in copy)) withHidden(copy, name, Reflect.get(event, name))
  return copy
}

/** Sets a field of an event that is neither stored nor sent: it is not enumerable. */
export function withHidden<Event extends object, Name extends string, Value>(
  event: Event,
  name: Name,
  value: Value,
): Event & { readonly [_ in Name]: Value } {
  return Object.defineProperty(event, name, { value }) as Event & { readonly [_ in Name]: Value }
}

/** The events that a middleware may emit unchanged. */
export type FeatureEvent = Extract<
  OwnEvent,
  {
    readonly type:
      | 'artifact-stored'
      | 'call-pending'
      | 'context-lost'
      | 'context-over'
      | 'context-trimmed'
      | 'effects-left-behind'
      | 'prefix-broken'
      | 'stuck-detected'
      | 'tools-revealed'
  }
>

export interface MiddlewareEvent {
  /** The name of the middleware. */
  readonly name: string
  /** The action, in a word or two: `retry`, `cache-hit`. */
  readonly action: string
  /** The id of the call, if the event is about one. */
  readonly callId?: string
  readonly data?: Json
}

type OwnEvent = EventBody extends infer Event
  ? Event extends { readonly step: number }
    ? Omit<Event, 'step'>
    : never
  : never
