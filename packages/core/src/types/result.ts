import type { ReadableArtifact } from '../artifacts/artifact.js'
import type { Json, Jsonified } from '../json.js'
import type { AnyTool, ArgumentsOf, NameOf, ResultOf } from '../tools/tool.js'
import type { Usage } from '../usage.js'
import type { Message } from './message.js'
import type { Source } from './model.js'
import type {
  AnyStep,
  AnyToolCall,
  CallFacts,
  CallStatus,
  LimitName,
  PendingCall,
  RunState,
  StopReason,
} from './state.js'

/**
 * The result of a run. `output` is there when the run is done and its agent has an output schema. `RunResult` alone is
 * the result of any agent.
 */
export type RunResult<Tools extends readonly AnyTool[] = readonly AnyTool[], Output = unknown> = RunFacts &
  RunCalls<Tools, Output> &
  (Done<Output> | NotDone)

export interface RunCalls<Tools extends readonly AnyTool[], Output> {
  /**
   * Calls finished since this run started or was resumed, in call order, each once. Those of a step that waits for
   * decisions are in the pending result, and again in the result that finishes the step.
   */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
  /**
   * The steps since this run started or was resumed, oldest first. A step that waits for decisions is in the pending
   * result, and again in the result that finishes it. A reply that was cut off by an abort or a time limit is in none.
   */
  readonly steps: readonly StepResult<Tools>[]
  /** Returns this result when the run is done. @throws CapstanError `stopped` otherwise, with the state */
  orThrow(): this & Done<Output>
}

export interface Done<Output> {
  readonly stopReason: 'done'
  /** The final reply as a value of the agent's output schema. */
  readonly output: Output
}

interface NotDone {
  readonly stopReason: Exclude<StopReason, 'done'>
  readonly output?: undefined
}

/** One step of a run: a reply of the model with its calls. */
export type StepResult<Tools extends readonly AnyTool[] = readonly AnyTool[]> = Omit<AnyStep, 'toolCalls'> & {
  /** The calls of the reply that have finished, in call order. */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
}

/** The result of a run whose tools are unknown to the types. */
export type AnyRunResult = RunResult

export interface RunFacts {
  readonly stopReason: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  readonly limit?: LimitName
  /**
   * The limits of tokens and cost that the usage exceeds, or exceeds perhaps because a price is missing: a reply was
   * longer than what was left. Absent when they hold.
   */
  readonly exceeded?: readonly LimitName[]
  /** The last text of the model in this run; `''` only when it wrote none, or the last reply was empty: see `incomplete`. */
  readonly text: string
  /** The model's reasoning in the last step. Absent when the server sent none. */
  readonly reasoning?: string | undefined
  /** The model's refusal, when `stopReason` is `refusal`. */
  readonly refusal?: string
  /** True when the end of the text is missing, or when the run is done, or its final answer was requested, without a text. */
  readonly incomplete?: boolean
  /** What the caller should know of the run, such as calls that the model wrote as text. Absent when there is nothing. */
  readonly warnings?: readonly string[]
  /**
   * What the server sent with the last reply beside its text and its calls: `citations`, `search_results`, `annotations`,
   * `logprobs`, and fields that the interface does not have, each as received. Absent when it sent none of them.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The sources that the last reply cites. Absent without any, and for agents without `hosted` tools. */
  readonly sources?: readonly Source[]
  /** The whole conversation, to start the next run with. */
  readonly messages: readonly Message[]
  /** The name of the agent that has the conversation: after a handoff another one than that of the run. */
  readonly lastAgent: string
  /** The number of replies of the model, of the run before it was resumed too. */
  readonly stepCount: number
  /** The artifacts that calls made, each once, oldest first. */
  readonly artifacts: readonly ReadableArtifact[]
  readonly usage: Usage
  readonly pending?: readonly PendingCall[]
  /** The reason of the abort: what was given to `run.abort` or to the controller of the signal. */
  readonly abortReason?: unknown
  /** Messages given to `run.send`, and outcomes of background calls, too late for the model to read them. */
  readonly undelivered?: readonly string[]
  /** Plain JSON to resume from: `agent.run(state)`. */
  readonly state: RunState
}

/**
 * A finished call, typed by its tool name. `dynamic` calls are of tools known only at run time, or of unknown names.
 * Arguments are as the model wrote them; those of a call that is not `ok` may not match the schema.
 */
export type ToolCallResult<Tools extends readonly AnyTool[]> = [KnownCall<Tools[number]>] extends [never]
  ? AnyToolCall
  : CallFacts &
      (
        | KnownCall<Tools[number]>
        | ({ readonly dynamic: true; readonly name: string } & Outcome<unknown, unknown>)
      )

type KnownCall<T extends AnyTool> = T extends AnyTool
  ? string extends NameOf<T>
    ? never
    : { readonly dynamic?: false; readonly name: NameOf<T> } & Outcome<
        Jsonified<ArgumentsOf<T>>,
        Jsonified<ResultOf<T>>
      >
  : never

type Outcome<Arguments, Result> =
  | { readonly status: 'ok'; readonly arguments: Arguments; readonly result: Result }
  | { readonly status: Exclude<CallStatus, 'ok'>; readonly arguments: unknown; readonly result?: undefined }
