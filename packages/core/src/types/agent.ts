// Agents and results of runs as programs see them, with all options. Types alone.

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
 * A model with tools and instructions. An agent keeps no conversation: runs share no history. As a type without
 * arguments, `Agent` is any agent; like `AnyAgent` it does not tell whether runs require a `context`.
 */
export interface Agent<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> {
  /** For types only: an object with the same fields is not an agent. */
  readonly '~agent': true
  readonly name: string
  /** The artifacts that its runs made or received. */
  readonly artifacts: ArtifactStore
  /** The tools in the order they were given. */
  readonly tools: Tools
  /** All agents that a run can reach, by name, this one included. A host needs them to run child agents elsewhere. */
  readonly agents: ReadonlyMap<string, ChildRunner>
  /**
   * Returns the state that a run would start from. Checks all options and stores attachments, but sends no request
   * and calls no tool. `agent.run(state)` runs it, here or in another process. Pass decisions to it again:
   * `{ decisions: state.decisions }`.
   * @throws CapstanError as a run does before its first step
   */
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  /** Runs to the end. @throws CapstanError if a request fails; `error.state` has the run so far */
  run(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools> & ContextOfMiddleware<Added>, ToolsOf<Tools, Added>>
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>>
  /** Starts the same run and returns it immediately, with its events and streamed text. */
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
 * An agent with any tools, or a wrapper of one. Other packages accept this type. It does not tell whether tools require
 * a `context`, so a run without one compiles.
 */
export interface AnyAgent {
  readonly name: string
  readonly artifacts: ArtifactStore
  /** The tools in the order they were given. */
  readonly tools: readonly AnyTool[]
  readonly agents: ReadonlyMap<string, ChildRunner>
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  run(input: RunInput, options?: RunOptions): Promise<RunResult>
  stream(input: RunInput, options?: RunOptions & StreamOptions): Run<RunResult>
  /** Returns a copy of the agent with some options replaced. */
  with(options: Partial<AgentOptions<readonly AnyTool[]>>): AnyAgent
}

/** The type of `result.output`: the schema's output as JSON keeps it. */
export type OutputOf<Schema> = Schema extends StandardSchemaV1
  ? Jsonified<StandardSchemaV1.InferOutput<Schema>>
  : undefined

/** The context that all middlewares together need. */
export type ContextOfMiddleware<Added extends readonly Middleware[]> = Added extends readonly [
  Middleware<infer Context>,
  ...infer Others extends readonly Middleware[],
]
  ? Context & ContextOfMiddleware<Others>
  : unknown

/** Receives every event of a run synchronously. If it throws, the error becomes a process warning and the run continues. */
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
  /** A model, or a model name for the service at `OPENAI_BASE_URL`. */
  readonly model: string | ChatModel
  /** The system message. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /**
   * Features of its runs, the first outermost, after the features that other options add. A middleware with the name of
   * a default replaces that default: `without(name)` turns it off.
   */
  readonly middleware?: Added | readonly Middleware[]
  /**
   * The schema of the final reply. When the run is done, `result.output` has the value. Any schema that JSON can
   * express works. A server with structured output gets the schema; other servers get a tool `final_answer`. A reply
   * that does not match is sent back with the reason; after 3 such replies the run ends as `stuck`. Default: text.
   */
  readonly output?: Output
  /** Default `auto`. A tool is forced in one request only; otherwise the run would never end. */
  readonly toolChoice?: ToolChoice
  /** Default `{ steps: 20 }`. */
  readonly limits?: Limits
  /**
   * Ends a run as `condition` when it returns true after a step. Of an array, one true condition is enough. Default:
   * never.
   */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /**
   * What to do when a prompt is too long for its server's context window. `recover` shortens a rejected request and
   * sends it again, at most twice. If token counts show that the server silently dropped a part, the result has a
   * warning, once per run. `compact` shortens the request and sends it again in both cases. With `warn`, a rejection
   * fails the run. `stop` also ends the run as `condition` before its next request after a silent loss. Default
   * `recover`.
   */
  readonly onContextLost?: 'recover' | 'compact' | 'warn' | 'stop'
  /** Decides on each call before it runs. The strictest verdict applies. Default: all calls may run. */
  readonly policy?: Policy<ContextOf<Tools>> | readonly Policy<ContextOf<Tools>>[]
  /** Prices by model, for `usage.cost` and `limits.cost`. Default: costs are not counted. */
  readonly price?: PriceTable
  /**
   * Timeout in milliseconds for one reply, including retries, and for calls of tools without `timeoutMs`. Default:
   * none.
   */
  readonly stepTimeoutMs?: number
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /**
   * `safeRepair` repairs arguments with only one possible reading: a code fence, a trailing comma, Python literals,
   * `"1"` for a number, `null` for an optional value, one value for an array. Default: the model gets an error.
   */
  readonly repair?: Repair
  /**
   * The tool errors that the model gets. `all`: every message, with credentials replaced. `expected`: the message of
   * a `ToolError`; for other errors only that the tool failed, with the event's `errorId`. Default `all`.
   */
  readonly toolErrors?: ToolErrors['shown']
  readonly onToolError?: OnToolError
  /** Maximum calls of a run at the same time. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /**
   * Called with each step when its calls have finished, as in `result.steps`. Not called for steps of child runs. The
   * run does not wait for it; an error becomes a process warning. A replayed durable run calls it again.
   */
  onStep?(step: StepResult<ToolsOf<Tools, Added>>): unknown
  /** Receives the state of each run before every step and at its end. The run waits for it. */
  readonly onCheckpoint?: OnCheckpoint
  /** The store of artifacts. Default: in memory, for the life of the agent. */
  readonly artifacts?: ArtifactStore
  /** Additional fields of every request, such as `temperature`. Default: none. */
  readonly settings?: ModelSettings
  /**
   * More features. Default: none. The entry's own features are always included: all for `@capstan/core`, none for
   * `@capstan/core/lean`.
   */
  readonly features?: readonly Feature[]
}

/** Options of a run. `context` is required when a tool or a middleware declares one. */
export type RunOptions<
  Context = unknown,
  Tools extends readonly AnyTool[] = readonly AnyTool[],
> = CommonOptions &
  ContextOptions<Context> &
  OnStepOptions<Tools> &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** Run options that receive the run's context. */
export interface ContextOptions<Context> {
  /** Replaces the agent's instructions. Child agents and handoff targets keep their own. */
  readonly instructions?: string | Loosely<Context, string | Promise<string>>
  /** Judges each call in addition to the agents' own policies, in child runs too: the strictest verdict applies. */
  readonly policy?: LoosePolicy<Context> | readonly LoosePolicy<Context>[]
}

/** Methods, whose parameters TypeScript compares less strictly: an agent of any context is an `AnyAgent`. */
type Loosely<Context, Result> = { of(context: Context): Result }['of']
type LoosePolicy<Context> = { of(...given: Parameters<Policy<Context>>): ReturnType<Policy> }['of']

/** The option of a run whose type follows from its tools. */
export interface OnStepOptions<Tools extends readonly AnyTool[]> {
  /** Called in addition to the agent's own `onStep`, in the same way. */
  onStep?(step: StepResult<Tools>): unknown
}

/** Options of every run, whatever its context. */
export interface CommonOptions {
  readonly signal?: AbortSignal
  /**
   * Replaces every model of this run: the agent's own, the models of child agents and handoffs, and models that
   * `prepareStep` or a summary uses. A function receives each model and the name of its agent.
   */
  readonly model?: ChatModel | ModelOverride
  /** Replaces the agent's `toolChoice`. A tool is forced in one request only. */
  readonly toolChoice?: ToolChoice
  /** Additional tools of this run. */
  readonly tools?: readonly AnyTool[]
  /** Files of the user. They become artifacts, referenced at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  /** Merged over the agent's limits, or over those of the resumed state. */
  readonly limits?: Limits
  /**
   * Names the untrusted source of text in the input, such as an email: the run is tainted from its start. `false`
   * trusts results of tools that no agent of the run has. Default: tainted by the first result of an untrusted tool, or
   * of a tool that no agent of the run has. A tainted state stays tainted.
   */
  readonly taintedBy?: string | false
  /** The conversation that the run continues and appends to when it ends, or a branch of it. Default: none. */
  readonly session?: SessionRef
  /**
   * Decisions on the state's pending calls, by call id. Decisions inside a state (`state.decisions`) do not count by
   * themselves: pass them here when the state comes from a store that only your application writes.
   */
  readonly decisions?: Decisions | undefined
  /**
   * Whether nobody can approve calls: calls that need approval are denied, also in child runs, and the model is told.
   * Calls to tools without `execute` still wait for the caller. Default false.
   */
  readonly unattended?: boolean
  /** Skips the agents' own `observe` and `onCheckpoint`, for a run that is replayed. Default false. */
  readonly silent?: boolean
  /** Resumes a state even though the agent's tools have changed since. Default false. */
  readonly allowChangedTools?: boolean
  readonly observe?: Observer
  /** Called in addition to the agent's own `onCheckpoint`. */
  readonly onCheckpoint?: OnCheckpoint
  /**
   * The store for this run's artifacts and its child runs' artifacts. Pass it again when you resume the run. Default:
   * the agent's store.
   */
  readonly artifacts?: ArtifactStore
  /** Merged over the settings of the agent, and of handoff targets. */
  readonly settings?: ModelSettings
  /** The run's id. Default: random. */
  readonly runId?: string
  /** The host that runs the steps. Default: this process, in memory. */
  readonly host?: CreateHost
}

/** Options of `stream`, in addition to those of a run. */
export interface StreamOptions {
  /** Whether pending calls wait for `run.decide`. Default false: they end the run as pending. */
  readonly wait?: boolean
  /** Whether the run continues after its last reader leaves. Default false: it is aborted. */
  readonly detach?: boolean
  /**
   * The number of newest events to keep for `run.read`. Any number of readers can then read from any position. Default:
   * one reader, and all events that it has not read yet.
   */
  readonly keepEvents?: number
}

/** The options of `prepare`. All others are options of the run itself. */
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
 * A run's result. `output` is set when the run is done and its agent has an output schema. As a type without arguments,
 * `RunResult` is the result of any agent.
 */
export type RunResult<Tools extends readonly AnyTool[] = readonly AnyTool[], Output = unknown> = ResultFacts &
  ResultSteps<Tools, Output> &
  (Done<Output> | NotDone)

export interface ResultSteps<Tools extends readonly AnyTool[], Output> {
  /**
   * Calls finished since this run started or resumed, in call order, each once. If a step waits for decisions, its
   * finished calls are in the pending result, and again in the result that finishes the step.
   */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
  /**
   * The steps since this run started or resumed, oldest first. A step that waits for decisions is in the pending
   * result, and again in the result that finishes it. A reply that was cut off by an abort or a time limit is not
   * included.
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

export interface ResultFacts {
  readonly stopReason: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  readonly limit?: LimitName
  /**
   * The token and cost limits that the usage exceeds because a reply was longer than what was left, or may exceed
   * because a price is missing. Absent if there are none.
   */
  readonly exceeded?: readonly LimitName[]
  /** The model's last text in this run. `''` if it wrote none, or if its last reply was empty: see `incomplete`. */
  readonly text: string
  /** The model's reasoning in the last step. Absent if the server sent none. */
  readonly reasoning?: string | undefined
  /** The model's refusal, when `stopReason` is `refusal`. */
  readonly refusal?: string
  /**
   * True if the end of the text is missing. Also true if there is no text although the run is done, or its final answer
   * was requested.
   */
  readonly incomplete?: boolean
  /** Warnings for the caller, such as calls that the model wrote as text. Absent if there are none. */
  readonly warnings?: readonly string[]
  /**
   * Other fields of the last response, without text and calls: `citations`, `search_results`, `annotations`,
   * `logprobs`, and fields that the interface does not define, each as received. Absent if there are none.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The sources that the last reply cites. Absent if there are none, and for agents without `hosted` tools. */
  readonly sources?: readonly Source[]
  /** The entire conversation, to start the next run with. */
  readonly messages: readonly Message[]
  /** The name of the current agent: differs from the first agent after a handoff. */
  readonly lastAgent: string
  /** The number of model replies, including those before the run was resumed. */
  readonly stepCount: number
  /** The artifacts that calls made, each once, oldest first. */
  readonly artifacts: readonly ReadableArtifact[]
  readonly usage: Usage
  readonly pending?: readonly PendingCall[]
  /** The reason for the abort, as passed to `run.abort` or to the signal's controller. */
  readonly abortReason?: unknown
  /** The session after the run: for `session.at`, the new branch. Absent without a session. */
  readonly session?: { readonly id: string; readonly version: number }
  /** Messages passed to `run.send`, and results of background calls, that came too late for the model. */
  readonly undelivered?: readonly string[]
  /** Plain JSON to resume from: `agent.run(state)`. */
  readonly state: RunState
}

/**
 * A finished call, typed by its tool name. `dynamic` calls are calls to tools known only at run time, or to unknown
 * names. Arguments are as the model wrote them; they may not match the schema unless the call is `ok`.
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
