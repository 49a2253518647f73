// The public types of agents, their options and run results. This file contains only types.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore, ReadableArtifact } from '../artifacts/artifact.js'
import type { Json, Jsonified } from '../json.js'
import type { ModelSettings } from '../model/request-body.js'
import type { Attachment, Feature, PrepareStep, Run, RunInput, StopCondition } from '../run/feature.js'
import type { OnCheckpoint } from '../run/memory-host.js'
import type { Instructions, Middleware, ToolChoice } from '../run/middleware.js'
import type { SessionRef } from '../sessions/session-store.js'
import type { Policy } from '../tools/policies.js'
import type { OnToolError, ToolErrors } from '../tools/rejections.js'
import type { Repair } from '../tools/repair.js'
import type { AnyTool, ArgumentsOf, ContextOf, NameOf, ResultOf } from '../tools/tool.js'
import type { PriceTable, Usage } from '../usage.js'
import type { RunEvent } from './event.js'
import type { ChildRunner, CreateHost, ModelOverride } from './host.js'
import type { Message } from './message.js'
import type { ChatModel, Source } from './model.js'
import type {
  AnyStep,
  AnyToolCall,
  Decisions,
  EndedFacts,
  LimitName,
  Limits,
  PendingCall,
  ResultStatus,
  RunState,
  StopReason,
} from './state.js'

/**
 * A model with tools and instructions. Runs share no history unless you pass messages, a state or a session. Without
 * type arguments, `Agent` stands for any agent; like `AnyAgent`, it does not show whether runs require a `context`.
 */
export interface Agent<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> {
  /** Exists only in the type, so that another object with the same fields is not accepted as an agent. */
  readonly '~agent': true
  readonly name: string
  /** The store with the artifacts that the agent's runs have made or received. */
  readonly artifacts: ArtifactStore
  /** The agent's tools, in the order in which they were passed. */
  readonly tools: Tools
  /** All agents that a run can reach, including this one, by name. Hosts use this map to run child agents elsewhere. */
  readonly agents: ReadonlyMap<string, ChildRunner>
  /**
   * Returns the state that a run would start from. Checks all options and stores attachments, but sends no model
   * request and calls no tool. Run the state with `agent.run(state)`, in this or another process. Pass decisions again:
   * `agent.run(state, { decisions: state.decisions })`.
   * @throws CapstanError for the same reasons as a run before its first step
   */
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  /**
   * Runs until the model is done, or until something else stops the run: see `stopReason`.
   * @throws CapstanError if an option is invalid or a model request fails; `error.state` is the run's state so far
   */
  run(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools> & ContextOfMiddleware<Added>, ToolsOf<Tools, Added>>
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>>
  /** Starts a run and returns it immediately, so that you can read its events and text while it is running. */
  stream(
    input: RunInput,
    ...[options]: OptionsArgument<
      ContextOf<Tools> & ContextOfMiddleware<Added>,
      ToolsOf<Tools, Added>,
      StreamOptions
    >
  ): Run<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>>
  /** Returns a copy of the agent with some options replaced. */
  with(options: Partial<AgentOptions<readonly AnyTool[]>>): AnyAgent
}

/**
 * An agent with any tools, or your wrapper around one. Capstan's other packages accept this type. `AnyAgent` does not
 * show whether tools require a `context`, so a run without one compiles.
 */
export interface AnyAgent {
  readonly name: string
  readonly artifacts: ArtifactStore
  /** The agent's tools, in the order in which they were passed. */
  readonly tools: readonly AnyTool[]
  readonly agents: ReadonlyMap<string, ChildRunner>
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  run(input: RunInput, options?: RunOptions): Promise<RunResult>
  stream(input: RunInput, options?: RunOptions & StreamOptions): Run<RunResult>
  /** Returns a copy of the agent with some options replaced. */
  with(options: Partial<AgentOptions<readonly AnyTool[]>>): AnyAgent
}

/** The type of `result.output`: the schema's output type after a JSON round trip. `undefined` without a schema. */
export type OutputOf<Schema> = Schema extends StandardSchemaV1
  ? Jsonified<StandardSchemaV1.InferOutput<Schema>>
  : undefined

/** The intersection of the contexts that the middlewares need. */
export type ContextOfMiddleware<Added extends readonly Middleware[]> = Added extends readonly [
  Middleware<infer Context>,
  ...infer Others extends readonly Middleware[],
]
  ? Context & ContextOfMiddleware<Others>
  : unknown

/**
 * Receives every event of a run synchronously. An error that it throws becomes a process warning; the run continues.
 */
export type Observer = (event: RunEvent) => void

/** The agent's tools and the tools that its middlewares add. */
export type ToolsOf<
  Tools extends readonly AnyTool[],
  Added extends readonly Middleware[],
> = Added extends readonly [] ? Tools : readonly (Tools[number] | AddedTool<Added[number]>)[]

type AddedTool<One extends Middleware> = One extends { readonly tools: infer Tools }
  ? ListOf<Tools> extends readonly AnyTool[]
    ? ListOf<Tools>[number]
    : never
  : never

type ListOf<Tools> = Tools extends (run: never) => infer Made ? Made : Tools

export interface AgentOptions<
  Tools extends readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> {
  /** The agent's name in events and stored states. Default `agent`. */
  readonly name?: string
  /** A model, or a model name: `'gpt-5-mini'` means `chatModel('gpt-5-mini')`, which uses `OPENAI_BASE_URL`. */
  readonly model: string | ChatModel
  /** The system message, or a function that returns it for the run's context. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /**
   * Middlewares of the agent's runs, outermost first. Most middlewares that other options add are outside these. A
   * middleware with the same name as a default replaces it; `without(name)` turns a default off.
   */
  readonly middleware?: Added | readonly Middleware[]
  /**
   * The schema of the final reply. When the run is done, `result.output` is the validated value. Any schema that can be
   * expressed in JSON Schema works. Servers that support structured output get the schema; other servers get a tool
   * `final_answer`. A reply that does not match is sent back with the reason; after 3 such replies the run ends as
   * `stuck`. Default: the reply is plain text.
   */
  readonly output?: Output
  /**
   * Whether the model may or must call tools. A choice that forces a tool applies to one request only; otherwise the
   * run would never end. Default `auto`.
   */
  readonly toolChoice?: ToolChoice
  /** The limits of each run. Default `{ steps: 20 }`. */
  readonly limits?: Limits
  /**
   * Ends a run with the stop reason `condition` if the function returns true after a step. If you pass an array, one
   * true result is enough. Default: none.
   */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /**
   * What to do when a prompt is too long for the server's context window. The server may reject the request, or
   * silently drop a part, which its token counts reveal. A silent loss adds a warning to the result, once per run.
   * `recover`: a rejected request is shortened and sent again, at most twice. `compact`: like `recover`, but also after
   * a silent loss. `warn`: a rejection fails the run. `stop`: like `warn`, and a silent loss ends the run as
   * `condition` before its next request. Default `recover`.
   */
  readonly onContextLost?: 'recover' | 'compact' | 'warn' | 'stop'
  /** Decides on each call before it runs. The strictest policy's verdict applies. Default: all calls may run. */
  readonly policy?: Policy<ContextOf<Tools>> | readonly Policy<ContextOf<Tools>>[]
  /** Prices by model name, for `usage.cost` and `limits.cost`. Default: costs are not counted. */
  readonly price?: PriceTable
  /**
   * Timeout in milliseconds for each model reply, including retries, and for each call to a tool without its own
   * `timeoutMs`. Default: none.
   */
  readonly stepTimeoutMs?: number
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /**
   * `safeRepair` repairs invalid arguments if only one meaning is possible: a code fence, a trailing comma, Python
   * literals, `"1"` for a number, `null` for an optional value, a single value for an array. Default: no repair, and
   * the model gets an error.
   */
  readonly repair?: Repair
  /**
   * Which tool error messages the model gets. `all`: every message, with credentials replaced. `expected`: only the
   * message of a `ToolError`. For any other error, the model is told that the tool failed, and gets the event's
   * `errorId`. Default `all`.
   */
  readonly toolErrors?: ToolErrors['shown']
  readonly onToolError?: OnToolError
  /** Maximum number of tool calls that a run executes concurrently. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /**
   * Called with each step, as in `result.steps`, after the step's calls have finished; not called for steps of child
   * runs. The run does not wait for `onStep`, and an error becomes a process warning. A durable run calls `onStep`
   * again when it is replayed.
   */
  onStep?(step: StepResult<ToolsOf<Tools, Added>>): unknown
  /**
   * Receives the state of each run before every step and at its end. The run waits until `onCheckpoint` has finished.
   */
  readonly onCheckpoint?: OnCheckpoint
  /** The store for artifacts. Default: in memory, for as long as the agent exists. */
  readonly artifacts?: ArtifactStore
  /** Additional fields for every model request, such as `temperature`. Default: none. */
  readonly settings?: ModelSettings
  /**
   * Features to add to those of the entry point: all standard features with `@capstan/core`, none with
   * `@capstan/core/lean`. Default: none.
   */
  readonly features?: readonly Feature[]
}

/** Options of a run. `context` is required if a tool or a middleware declares one. */
export type RunOptions<
  Context = unknown,
  Tools extends readonly AnyTool[] = readonly AnyTool[],
> = CommonOptions &
  ContextOptions<Context> &
  OnStepOptions<Tools> &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** Run options whose functions receive the run's context. */
export interface ContextOptions<Context> {
  /** Replaces the agent's instructions. Child agents and handoff targets keep their own. */
  readonly instructions?: string | Loosely<Context, string | Promise<string>>
  /** Applies in addition to the agents' own policies, even in child runs. The strictest verdict wins. */
  readonly policy?: LoosePolicy<Context> | readonly LoosePolicy<Context>[]
}

/**
 * A method's type. TypeScript compares the parameters of methods less strictly, so agents with any context are
 * assignable to `AnyAgent`.
 */
type Loosely<Context, Result> = { of(context: Context): Result }['of']
type LoosePolicy<Context> = { of(...given: Parameters<Policy<Context>>): ReturnType<Policy> }['of']

/** The run option whose type depends on the tools. */
export interface OnStepOptions<Tools extends readonly AnyTool[]> {
  /** Called in addition to the agent's own `onStep`, in the same way. */
  onStep?(step: StepResult<Tools>): unknown
}

/** Run options whose types do not depend on the context or the tools. */
export interface CommonOptions {
  readonly signal?: AbortSignal
  /**
   * Replaces every model of this run: the agent's own, the models of child agents and handoff targets, and models that
   * `prepareStep` or a summary uses. A function is called with each model and the name of its agent, and returns the
   * model to use.
   */
  readonly model?: ChatModel | ModelOverride
  /** Replaces the agent's `toolChoice`. A choice that forces a tool applies to one request only. */
  readonly toolChoice?: ToolChoice
  /** Tools for this run, in addition to the agent's own. */
  readonly tools?: readonly AnyTool[]
  /** Files from the user, which are stored as artifacts and named at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  /** Merged over the agent's limits, or over the limits of a resumed state. */
  readonly limits?: Limits
  /**
   * The untrusted source of text in the input, such as an email. If set, the run is tainted from the start. Otherwise,
   * the run becomes tainted when it reads a result of an untrusted tool, or of a tool that none of its agents has. Pass
   * `false` to trust results of tools that no agent has. A tainted state stays tainted.
   */
  readonly taintedBy?: string | false
  /** The conversation, or a branch of one, that the run continues and appends to when it ends. Default: none. */
  readonly session?: SessionRef
  /**
   * Decisions on the state's pending calls, by call id. Decisions inside a state (`state.decisions`) are not applied
   * unless you pass them here. Do so only if the state comes from a store that only your application writes to.
   */
  readonly decisions?: Decisions | undefined
  /**
   * Whether nobody can approve calls. If so, calls that need approval are denied, even in child runs, and the model is
   * told so. Calls to tools without `execute` still wait for the caller's result. Default false.
   */
  readonly unattended?: boolean
  /** Whether to skip the agents' own `observe`, `onStep` and `onCheckpoint`, as in a replay. Default false. */
  readonly silent?: boolean
  /** Whether to resume a state even if the agent's tools have changed since it was stored. Default false. */
  readonly allowChangedTools?: boolean
  readonly observe?: Observer
  /** Called in addition to the agent's own `onCheckpoint`. */
  readonly onCheckpoint?: OnCheckpoint
  /**
   * Stores the artifacts of this run and its child runs. To resume the run, pass the same store again. Default: the
   * agent's store.
   */
  readonly artifacts?: ArtifactStore
  /** Merged over the agent's settings, and over those of handoff targets. */
  readonly settings?: ModelSettings
  /** The run's id. Default: random. */
  readonly runId?: string
  /** Creates the host that runs the steps. Default: a host that runs them in this process and stores nothing. */
  readonly host?: CreateHost
}

/** Options of `stream`, in addition to the options of `run`. */
export interface StreamOptions {
  /** Whether the run waits for `run.decide` when a call is pending. Default false: the run ends as `pending`. */
  readonly wait?: boolean
  /** Whether the run continues when its last reader has stopped reading. Default false: the run is aborted. */
  readonly detach?: boolean
  /**
   * How many of the newest events to keep for `run.read`. Any number of readers can then start at any of these events.
   * Default: events are kept for a single reader, until it has read them.
   */
  readonly keepEvents?: number
}

/** The options of `prepare`. Pass all other options to the run itself. */
export type PrepareOptions = Pick<
  CommonOptions,
  'allowChangedTools' | 'artifacts' | 'attachments' | 'decisions' | 'limits' | 'runId'
>

/** The options argument: optional unless a tool declares a context. */
export type OptionsArgument<
  Context,
  Tools extends readonly AnyTool[],
  Further = unknown,
> = unknown extends Context
  ? [options?: RunOptions<Context, Tools> & Further]
  : [options: RunOptions<Context, Tools> & Further]

/**
 * A run's result. `output` is set if the run is done and its agent has an output schema. Without type arguments,
 * `RunResult` is the result of any agent.
 */
export type RunResult<Tools extends readonly AnyTool[] = readonly AnyTool[], Output = unknown> = ResultFacts &
  ResultSteps<Tools, Output> &
  (Done<Output> | NotDone)

export interface ResultSteps<Tools extends readonly AnyTool[], Output> {
  /**
   * The calls that have finished since this run was started or resumed, each once, in call order. If a step needs
   * decisions, its finished calls are in the pending result, and again in the result of the run that finishes the step.
   */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
  /**
   * The steps since this run was started or resumed, oldest first. A step that needs decisions is in the pending
   * result, and again in the result of the run that finishes it. A reply that was cut off by an abort or a time limit
   * is not included.
   */
  readonly steps: readonly StepResult<Tools>[]
  /**
   * Returns this result if the run is done.
   * @throws CapstanError `stopped` otherwise, with the run's state in `error.state`
   */
  orThrow(): this & Done<Output>
}

export interface Done<Output> {
  readonly stopReason: 'done'
  /** The final reply, parsed and validated against the agent's output schema. */
  readonly output: Output
}

interface NotDone {
  readonly stopReason: Exclude<StopReason, 'done'>
  readonly output?: undefined
}

/** One step of a run: a model reply with its calls. */
export type StepResult<Tools extends readonly AnyTool[] = readonly AnyTool[]> = Omit<AnyStep, 'toolCalls'> & {
  /** The reply's finished calls, in call order. */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
}

export interface ResultFacts {
  readonly stopReason: StopReason
  /** The limit that was reached, if `stopReason` is `limit`. */
  readonly limit?: LimitName
  /**
   * The token and cost limits that were exceeded because a reply was longer than expected, or that may have been
   * exceeded because a price is missing. Absent if there are none.
   */
  readonly exceeded?: readonly LimitName[]
  /**
   * The model's last text in this run. `''` if the model wrote none, or if its last reply was empty: see `incomplete`.
   */
  readonly text: string
  /** The model's reasoning in the last step. Absent if the server sent none. */
  readonly reasoning?: string | undefined
  /** The model's refusal, if `stopReason` is `refusal`. */
  readonly refusal?: string
  /**
   * True if the end of the text is missing, or if there is no text although the run is done or a final answer was
   * requested.
   */
  readonly incomplete?: boolean
  /** Warnings for the caller, such as calls that the model wrote as text. Absent if there are none. */
  readonly warnings?: readonly string[]
  /**
   * Fields of the last response other than text and calls, as received: `citations`, `search_results`, `annotations`,
   * `logprobs`, and fields that OpenAI's API does not define. Absent if there are none.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The sources that the last reply cites. Absent if there are none, and for agents without `hosted` tools. */
  readonly sources?: readonly Source[]
  /** The entire conversation. Pass it as the input of the next run to continue. */
  readonly messages: readonly Message[]
  /** The name of the agent that the run ended with. After a handoff, this is not the agent that you ran. */
  readonly lastAgent: string
  /** The number of model replies, including those before the run was resumed. */
  readonly stepCount: number
  /** The artifacts that calls have created, without duplicates, oldest first. */
  readonly artifacts: readonly ReadableArtifact[]
  readonly usage: Usage
  readonly pending?: readonly PendingCall[]
  /** The reason for the abort, as passed to `run.abort` or to the signal's controller. */
  readonly abortReason?: unknown
  /** The session after the run; for a run with `session.at`, the new branch. Absent without a session. */
  readonly session?: { readonly id: string; readonly version: number }
  /** Messages passed to `run.send`, and results of background calls, that came too late to be sent to the model. */
  readonly undelivered?: readonly string[]
  /** The run as plain JSON. Resume it with `agent.run(state)`. */
  readonly state: RunState
}

/**
 * A finished call, typed by its tool name. `dynamic` calls are calls to tools known only at run time, or to unknown
 * names. Arguments are as the model wrote them, so they may not match the schema unless `status` is `ok`.
 */
export type ToolCallResult<Tools extends readonly AnyTool[]> = [ResultOfTool<Tools[number]>] extends [never]
  ? AnyToolCall
  : EndedFacts &
      (
        | ResultOfTool<Tools[number]>
        | ({ readonly dynamic: true; readonly name: string } & Outcome<unknown, unknown>)
      )

type ResultOfTool<T extends AnyTool> = T extends AnyTool
  ? string extends NameOf<T>
    ? never
    : { readonly dynamic?: false; readonly name: NameOf<T> } & Outcome<
        Jsonified<ArgumentsOf<T>>,
        Jsonified<ResultOf<T>>
      >
  : never

type Outcome<Arguments, Result> =
  | { readonly status: 'ok'; readonly arguments: Arguments; readonly result: Result }
  | { readonly status: Exclude<ResultStatus, 'ok'>; readonly arguments: unknown; readonly result?: undefined }
