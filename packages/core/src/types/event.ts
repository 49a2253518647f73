import type { Artifact } from '../artifacts/artifact.js'
import type { ErrorCode } from '../errors.js'
import type { Json } from '../json.js'
import type { Spending, Usage } from '../usage.js'
import type { DataPart, Message } from './message.js'
import type { WrittenAsText } from './model.js'
import type { AnyStep, LimitName, PendingCall, ResultStatus, StopReason } from './state.js'

/**
 * An event of a run. Events arrive in the order in which they happen. In `run.on`, and when you iterate over a run,
 * events are typed by the agent's tools.
 */
export type RunEvent<Step extends AnyStep = AnyStep> = Stamp & EventBody<Step>

/** The fields of every event. */
export interface Stamp {
  readonly runId: string
  /** Counts the run's events from 0. */
  readonly seq: number
}

/** An event without its run id and sequence number. `step` counts the model's replies from 0. */
export type EventBody<Step extends AnyStep = AnyStep> = {
  readonly step: number
  /** In events of a child run: the id of the call that started it, with outer calls in front: `call_1/call_2`. */
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
       * The newest fragment of the arguments. A call's fragments, joined, are the arguments as the model wrote them. If
       * the final reply does not contain the call, no `call-ready` follows.
       */
      readonly arguments: string
    } & ToolRef)
  | ({ readonly type: 'call-ready'; readonly arguments: string } & ToolRef)
  | ({
      readonly type: 'repair-applied'
      /** Short descriptions of the repairs, such as `a code fence was removed`. */
      readonly repairs: readonly string[]
    } & ToolRef)
  | ({ readonly type: 'tool-start'; readonly arguments: unknown } & ToolRef)
  | ({ readonly type: 'tool-progress'; readonly value: unknown } & ToolRef)
  | (DataPart & { readonly value: unknown } & ToolRef)
  | ({
      readonly type: 'artifact-stored'
      /** The stored artifact. If the same bytes had already been stored, their first description is kept. */
      readonly artifact: Artifact
    } & (ToolRef | ModelRef))
  | ({
      readonly type: 'tool-end'
      readonly status: ResultStatus
      readonly ms: number
      /** The content of the tool message. */
      readonly content: string
      readonly artifacts: readonly Artifact[]
      /** The billable units that the call reported, such as images. Absent if there are none. */
      readonly spent?: readonly Spending[]
      /**
       * The cost of the call and its child run, from the agent's price table. `unknown` if a price is missing. Absent
       * if there is no table or the call spent nothing.
       */
      readonly cost?: number | 'unknown'
      /** The id that the model gets instead of the error's message. */
      readonly errorId?: string
      /**
       * Whether the function is still running in the background while the model continues. A second `tool-end` then
       * reports the result.
       */
      readonly background?: boolean
      /** The error itself, only in the process where the call failed. Not enumerable, so it is never stored or sent. */
      readonly error?: unknown
    } & ToolRef)
  | {
      readonly type: 'retry-scheduled'
      /** The number of the retry, from 1. Discard the text streamed for this step so far: the reply starts over. */
      readonly attempt: number
      readonly delayMs: number
      readonly code: ErrorCode
      readonly message: string
      /** The name of the fallback model, if the retry goes to a different model. */
      readonly model?: string
    }
  | {
      /**
       * The process that was executing the run has died. Another process continues from the state before the last step.
       * If the reply starts over, discard the text streamed for that step so far. Emitted by servers, not by
       * `agent.stream`.
       */
      readonly type: 'run-recovered'
    }
  | {
      readonly type: 'message-added'
      readonly message: Message
      /** Server fields that were omitted from the message because they were nested too deeply or too long. */
      readonly omitted?: readonly string[]
    }
  | ({ readonly type: 'call-pending' } & PendingCall)
  | { readonly type: 'limit-reached'; readonly limit: LimitName }
  | {
      readonly type: 'stuck-detected'
      /** What Capstan did: warned the model, disabled the tools, or requested a final answer. */
      readonly stage: 'warn' | 'disable' | 'stop'
      /** The tools whose calls were repeated. */
      readonly names: readonly string[]
    }
  | {
      readonly type: 'tools-revealed'
      /** Deferred tools that the agent's requests contain from now on, or whose parameters the model has been shown. */
      readonly names: readonly string[]
      /** The search query that found the tools. Absent for tools called by name, and for tools from `prepareStep`. */
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
      /** The code of the error. The run ends without a final answer. */
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
      /** The text of a message that was sent to the run while it was running. */
      readonly text: string
    }
  | {
      readonly type: 'context-trimmed'
      /** The name of the middleware that shortened this request more than the previous request. */
      readonly by: string
      /** The number of messages before and after the cut. */
      readonly before: number
      readonly after: number
      /** The estimated tokens of a request with these messages, including instructions and tools. */
      readonly tokens: { readonly before: number; readonly after: number }
    }
  | {
      readonly type: 'context-over'
      /** The estimated tokens of the shortest possible request, which was not sent. */
      readonly tokens: number
      readonly maxTokens: number
      readonly parts: {
        readonly instructions: number
        readonly tools: number
        /**
         * The messages that cannot be omitted, except for those of the newest step. All parts are in estimated tokens.
         */
        readonly messages: number
        readonly newest: number
      }
    }
  | {
      readonly type: 'prefix-broken'
      /** The first part of this request that differs from the previous one: a tool, a message or the instructions. */
      readonly at: 'instructions' | `tools[${number}]` | `messages[${number}]`
      /**
       * The name of the middleware that changed this part, or `instructions`, `handoff` or `server` if it was not a
       * middleware.
       */
      readonly because: string
    }
  | {
      /**
       * The run starts a new branch of its session, and the messages that the branch omits contain calls that may have
       * had effects.
       */
      readonly type: 'effects-left-behind'
      /**
       * The successful calls in those messages to tools that may change something. The effects of these calls are not
       * undone.
       */
      readonly calls: readonly {
        readonly callId: string
        readonly name: string
        /** As the model wrote them. */
        readonly arguments: string
      }[]
    }
  | {
      readonly type: 'context-lost'
      /** The number of tokens that the server should have counted for the request. */
      readonly sent: number
      /** The number of tokens that the server reported. */
      readonly reported: number
      /** The largest prompt that the server has reported, in tokens: roughly the size of its context window. */
      readonly window: number
    }
  | {
      readonly type: 'step-replayed'
      /** The key of the step whose recorded value was used instead of repeating its work. */
      readonly key: string
    }
  | {
      readonly type: 'middleware'
      /** The name of the middleware that emitted the event. */
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
      /** The error's message, without credentials. */
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

/** The source of an artifact that came in a model's reply, not from a tool call. */
export interface ModelRef {
  readonly model: string
  readonly callId?: undefined
  readonly name?: undefined
}

/** Receives events synchronously. Undefined if there is no listener: events are then not created. */
export type Emit = ((event: EventBody) => void) | undefined

/** Returns a copy of an event with these fields added or replaced. The hidden fields `error` and `result` are kept. */
export function withFields<Event extends object, Fields extends object>(
  event: Event,
  fields: Fields,
): Event & Fields {
  const copy: Event & Fields = { ...event, ...fields }
  for (const name of ['error', 'result'] as const)
    if (name in event && !(name in copy)) withHidden(copy, name, Reflect.get(event, name))
  return copy
}

/** Adds a field that is not enumerable to an event, so it is neither stored nor sent. Returns the same event. */
export function withHidden<Event extends object, Name extends string, Value>(
  event: Event,
  name: Name,
  value: Value,
): Event & { readonly [_ in Name]: Value } {
  return Object.defineProperty(event, name, { value }) as Event & { readonly [_ in Name]: Value }
}

/** The run events that a middleware may emit itself, apart from `middleware` events. */
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
  /** The name of the middleware that emits the event. */
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
