// The types of middlewares and tools. A middleware changes how an agent runs: the loop calls its hooks.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Artifact, ArtifactStore } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import type { SpendLimiter } from '../limits.js'
import type { PolicyCall, PolicyView, Verdict } from '../tools/policies.js'
import type { CallOptions, ToolContext, ToolSettings } from '../tools/tool-options.js'
import type { FeatureEvent, MiddlewareEvent, RunEvent } from '../types/event.js'
import type { ChildRunner, HostStepOptions, Step, StepContext, WaitOptions } from '../types/host.js'
import type { Message, SystemMessage, ToolCall, ToolDefinition, UserMessage } from '../types/message.js'
import type {
  ChatModel,
  HostedDefinition,
  ModelReply,
  ModelRequest,
  ModelSink,
  OutputSchema,
  ReadOutput,
} from '../types/model.js'
import type {
  CallRecord,
  CallResult,
  Decisions,
  LimitName,
  Limits,
  Outcome,
  PendingCall,
  ResultNotes,
  RunState,
  StopReason,
  StoredChild,
} from '../types/state.js'
import type { PriceTable, Spending, Usage } from '../usage.js'
import type { StepPart } from './step-keys.js'

type Awaitable<T> = T | Promise<T>

/** The system message, or a function that returns it for the run's context. */
export type Instructions<Context> = string | ((context: Context) => string | Promise<string>)

/** Whether the model may, must or must not call tools. A tool's name, or its wire form, forces that tool. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | (string & {})
  | { readonly type: 'function'; readonly function: { readonly name: string } }

/**
 * Changes how an agent runs. A middleware with the name of a default replaces that default. Names are unique. The first
 * in the array is outermost: its hooks are called first, except `afterTool`, which is called last.
 */
export interface Middleware<Context = unknown, Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** The middleware's name, and the key of its state in `RunState.kept`. */
  readonly name: string
  /** Tools to add to the agent's own: an array, or a pure function of the run that is called before each step. */
  readonly tools?: Tools | ToolsIn<Context, Tools>
  /** Names of the tools that `tools` may return if it is a function. Their results are as trusted as the run. */
  readonly toolNames?: readonly string[]
  /** The run is done only when its output matches this schema. Only the first agent's schema applies. */
  readonly outputSchema?: OutputSchema
  /** Whether the middleware continues to apply after a handoff to another agent. Default false. */
  readonly wholeRun?: boolean
  /** Whether the middleware also applies to child runs, as their innermost middleware. Default false. */
  readonly childRuns?: boolean

  // These hooks run within a host step, and may be asynchronous. The step records their results.

  /** Changes one request before it is sent. The returned fields replace the request's fields. */
  beforeModel?(call: StepRequest, run: RunView<Context>): Awaitable<Partial<StepRequest> | undefined | void>
  /** Wraps one request. Can send it again, change the reply, or return a reply without sending the request. */
  wrapModel?(call: StepRequest, next: NextRequest, run: RunView<Context>): Promise<StepReply>
  /** Wraps each request to a model, including side requests (`ask`). `next` sends it; the model may retry it. */
  wrapRequest?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelReply>,
    model: ChatModel,
    run: RunView<Context>,
  ): Promise<ModelReply>
  /**
   * Called in order after a failed request, until one returns `true`. The request is then sent again, starting with
   * `beforeModel`. If the hook throws, its error replaces the original one.
   */
  retryModel?(error: unknown, call: StepRequest, run: RunView<Context>): Awaitable<boolean>
  /**
   * Changes a reply before it enters the history. Called in order, each time with the reply that the previous hook
   * returned. `call` is the request; `sent` is the same request as it was sent to the model.
   */
  afterModel?(
    reply: StepReply,
    call: StepRequest,
    run: RunView<Context>,
    sent?: ModelRequest,
  ): Awaitable<StepReply | undefined | void>
  /**
   * Decides whether a call with valid arguments may run. The strictest verdict applies. If the hook throws, its error
   * becomes the call's result, and the call does not run.
   */
  beforeTool?(call: PolicyCall, run: RunView<Context>): Awaitable<Verdict | undefined | void>
  /** Wraps the function of a call. Can run it again, change its result, or return a result without running it. */
  wrapTool?(call: RunningCall, next: NextTool, run: RunView<Context>): Promise<CallResult>
  /** Called before `ctx.spend` spends an amount. `ctx.spend` waits for the hook, and throws its error. */
  beforeSpend?(spending: Spending, call: RunningCall, run: RunView<Context>): Awaitable<void>
  /** Changes the result of a function or of a decision before the model gets it. Called in reverse order. */
  afterTool?(result: CallResult, call: RunningCall, run: RunView<Context>): Awaitable<CallResult>

  // These hooks run between host steps, and durable runs repeat them. They must be synchronous and pure (no clock).

  /** Changes a stored state before a run continues from it. If the cause of the stop remains, the run stops again. */
  onResume?(state: RunState, before: Pick<RunState, 'stopReason' | 'limits'>): RunState
  /**
   * Called with a reply without calls. The run then ends, unless an effect has `continue`: in that case, later
   * middlewares are not called.
   */
  afterReply?(reply: StepReply, run: RunView<Context>): StepEffects | undefined
  /** Called with each finished call of a step, and with each call that finishes later (`StepEffects.results`). */
  afterCall?(call: CallRecord, run: RunView<Context>): StepEffects | undefined
  /** Called with the results of a step's tool calls, in call order. */
  afterStep?(results: readonly CallRecord[], run: RunView<Context>): StepEffects | undefined
  /** Returns why the run must stop before its next request. Undefined if the run may continue. */
  shouldStop?(run: RunView<Context>): Stop | undefined
  /** Returns a last request to send before the run stops. The reply has no calls. The stop reason stays the same. */
  beforeStop?(stop: Stop, run: RunView<Context>): FinalRequest | undefined

  // These hooks run between host steps. They may be asynchronous, but only await `run.runStep` and the artifact store.

  /** Called when a run starts or resumes. */
  beforeRun?(run: RunView<Context>): Awaitable<StepEffects | undefined>
  /** Returns the available decisions by call id; other calls stay pending. Only the first `decide` hook is called. */
  decide?(calls: readonly OpenCall[], run: RunView<Context>): Promise<ReadonlyMap<string, AppliedDecision>>
  /** Called before each request except the one for a final answer. */
  beforeStep?(run: RunView<Context>): Awaitable<StepEffects | undefined>
  /** Called when a run ends; must not wait after an abort or failure. Returned messages go to `result.undelivered`. */
  afterRun?(end: Ending, run: RunView<Context>): Awaitable<StepEffects | undefined>

  /** Receives every event synchronously. If it throws, the error becomes a process warning and the run continues. */
  observe?(event: RunEvent): void
}

/** The type of a method. TypeScript compares method parameters less strictly, so one array can mix contexts. */
type ToolsIn<Context, Tools> = { tools(run: RunView<Context>): Tools }['tools']

export interface RunView<Context = unknown> extends PolicyView<Context> {
  /** The name of the current agent: the first agent, or the target of the last handoff. */
  readonly agent: string
  /** The full conversation, without the instructions. */
  readonly messages: readonly Message[]
  /** Whether any message of the conversation contains files. */
  readonly hasMedia: boolean
  /** The index of the user message that started the run; -1 if there is none. */
  readonly task: number
  /** The calls that have finished since this run started or was resumed. */
  readonly toolCalls: readonly CallRecord[]
  /** The last reply's calls, with the results stored so far. Empty after the step has ended. */
  readonly openCalls: readonly OpenCall[]
  readonly usage: Usage
  readonly limits: Limits
  /** The current agent's price table. */
  readonly prices: PriceTable | undefined
  /** The current agent's model. */
  readonly model: ChatModel
  /** The tools of this step. */
  readonly toolset: Toolset
  /** The system message as last sent, which stays the same object while its text is unchanged. */
  readonly system: SystemMessage | undefined
  /** The states of all middlewares, by name. */
  readonly kept: Readonly<Record<string, Json>>
  /** Whether the final answer has been requested. */
  readonly isFinalAsked: boolean
  readonly artifacts: ArtifactStore
  /** Aborts with the run. Hooks within a step get their call's signal too, which aborts at the call's timeout. */
  readonly signal: AbortSignal
  /** The run's options, by name. A child run has only `policy`. */
  readonly options: Readonly<Record<string, unknown>>
  /** The tools given to the current agent, including hosted tools. */
  readonly tools: readonly AnyTool[]
  /** Whether the host records steps. A recorded run may be replayed, and must then take exactly the same steps. */
  readonly isRecorded: boolean
  /** All agents of the run, by name. */
  readonly agents: ReadonlyMap<string, RunnerWithTools>
  /** Returns whether results of a tool with this name are trusted, considering all agents of the run. */
  trustOf(tool: string): ToolTrust
  /** Emits an event of this step. An event without a `type` is a `middleware` event. */
  emit(event: MiddlewareEvent | FeatureEvent): void
  /** The decisions passed to the run, by the id of the pending call. */
  readonly decisions: Decisions
  /** Waits for a value from outside, under a key that contains the step's number. Undefined: the call stays pending. */
  waitFor<T>(part: StepPart, options?: WaitOptions): Promise<T | undefined>
  /**
   * Stores a middleware's state immediately, and saves it if the host saves states. For work that ends between steps.
   */
  keep(middleware: string, state: Json): Promise<void>
  /** Runs work as a host step. The step's key contains the current step's number, or the given number. */
  runStep<T>(part: StepPart, work: (step: StepContext) => Promise<T>, options: HostStepOptions): Promise<T>
  /** Which tool error messages models get. `all`: every message. `expected`: only the message of a `ToolError`. */
  readonly toolErrors: 'all' | 'expected'
  /** Returns a limiter for planned spending. It also counts what the step's finished calls have spent. */
  limiter(): SpendLimiter
  /** Returns the key of a call in the last reply, or its child run's id. Both stay the same when the run is resumed. */
  callKey(index: number, kind?: 'call' | 'child'): string
  /** Runs the function of a call that already has a result. Policies do not apply again. Default: the current agent. */
  runCall(call: CallRecord, step: StepContext, agent?: string): Promise<CallResult>
}

/** `unknown`: no agent of the run has the tool. */
export type ToolTrust = 'trusted' | 'untrusted' | 'unknown'

/** The effect of a decision: the pending call runs, or gets the result that a function returns in a host step. */
export type AppliedDecision =
  | { readonly approval: Approval }
  | { readonly result: CallResult | (() => Promise<CallResult>) }

/** Lets a pending call run. */
export interface Approval {
  /** The changed arguments, if the user edited them. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/** The end of a run. `error`: the run fails and throws. */
export interface Ending {
  readonly reason: StopReason | 'error'
}

/** The request fields that middlewares changed, by middleware name. */
export type ChangesBy = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** One request to a model, as hooks receive and change it. */
export interface StepRequest {
  readonly model: ChatModel
  /** The conversation without the instructions. */
  readonly messages: readonly Message[]
  /** The system message, or a function that returns it. */
  readonly instructions: Instructions<unknown> | undefined
  readonly tools: readonly ToolDefinition[]
  /** The tools that the reply may call, including tools that this request does not offer. */
  readonly toolset: Toolset
  readonly toolChoice: ToolChoice
  /** Names of tools that are offered but cannot be forced. Calls to these tools are rejected. */
  readonly disabled: readonly string[]
  /** Tools that the server runs itself. Default: none. */
  readonly hostedTools?: readonly HostedDefinition[]
  /** Additional request fields, by wire name. Hooks may also return `ModelSettings` names, such as `maxTokens`. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Whether the caller reads the reply as a stream. */
  readonly stream: boolean
  /** The changes that middlewares have made so far, in order. Added tools are listed in `tools`. */
  readonly by: ChangesBy
  /** Returns states to store with the reply, by middleware name. States from other hooks' `keep` are stored too. */
  keep?(reply: StepReply): Readonly<Record<string, Json>>
  /** Whether to store what `keep` returns for an empty reply, and then call `beforeModel` again, before sending. */
  readonly keepFirst?: boolean
  /** Whether this is the run's last request. If so, no tool may be called, even if a hook offers one. */
  readonly isFinal: boolean
  /** Receives the streamed reply. Undefined without a listener. `wrapModel` may pass a different sink to `next`. */
  readonly sink: ModelSink | undefined
  /** Aborts with the run and at the deadline of the step. */
  readonly signal: AbortSignal
  /**
   * Sends a side request without tools and returns the text of its reply. Its tokens and cost count toward the run's
   * limits. Default: this request's model. @throws the model's error; `stopped` if a limit of the run would be exceeded
   */
  ask(messages: readonly Message[], model?: ChatModel): Promise<string>
}

/** Sends the request, with the given fields changed. Each call adds to the usage. */
export type NextRequest = (changes?: Partial<StepRequest>) => Promise<StepReply>

/** A reply, optionally with states of middlewares. The states are recorded with the step. */
export interface StepReply extends ModelReply {
  /** States by middleware name, stored in `RunState.kept`. */
  readonly kept?: Readonly<Record<string, Json>>
  /** The structured output in the reply's text, or the reason why it is invalid. */
  readonly output?: ReadOutput
  /** The reply's artifacts, which are added to the run's artifacts. */
  readonly artifacts?: readonly Artifact[]
  /** Spending other than tokens, which counts toward the limits. */
  readonly spent?: readonly Spending[]
  /** The limit that made the reply incomplete, and that ends the run unless the reply has calls or a stop reason. */
  readonly limit?: LimitName
  /** A warning for the caller, added once to `result.warnings`. */
  readonly warning?: string
  /** The share of input tokens that repeat the previous request, from 0 to 1. Counted in `usage.cacheable`. */
  readonly cacheable?: number | undefined
}

/** Runs the function. Never rejects: a failure is a result with status `error`; its `error` is the thrown value. */
export type NextTool = () => Promise<ToolOutcome>

/** The reason why a run stops. `limit` is set if the reason is a limit. */
export interface Stop {
  readonly reason: StopReason
  readonly limit?: LimitName
}

/** Changes that a middleware makes to a run between two host steps. */
export interface StepEffects {
  /** The middleware's new state, stored in `RunState.kept` under its name. `null` removes it. */
  readonly state?: Json
  /** Text for the model, added to each result of the step. */
  readonly note?: string
  /** Messages to add to the conversation, unless this step ends the run. `beforeStep` emits an event for each one. */
  readonly messages?: readonly UserMessage[]
  /** Ends the run as done, with this text as the model's last reply. Only after tool calls. */
  readonly endWith?: string
  /** The name of the agent that takes over the conversation. The first name given applies. Only in `afterStep`. */
  readonly agent?: string
  /** The structured output of the run. */
  readonly output?: Json
  /** Sends another request after a reply that would have ended the run. */
  readonly continue?: true
  /** A warning for the caller, added once to `result.warnings`. */
  readonly warning?: string
  readonly events?: readonly FeatureEvent[]
  /** Whether the end of the last text is missing. */
  readonly incomplete?: true
  /** The untrusted source whose text the model got. */
  readonly taintedBy?: string
  /** Calls of earlier steps that have now finished, to be counted, added to their steps and reported. */
  readonly results?: readonly CallRecord[]
}

/** A last request before a run stops. */
export interface FinalRequest {
  /** Sent as the last user message, but not kept in the history. */
  readonly note: string
}

/** One of the agents of a run, with its tools. */
export interface RunnerWithTools extends ChildRunner {
  readonly toolset: Toolset
  /** The tools given to the agent, including hosted tools, which the toolset does not contain. */
  readonly givenTools: readonly AnyTool[]
  /** Whether the agent's runs are done only with a value that matches its output schema. */
  readonly hasOutput: boolean
}

/** The types of a tool: its name, the schema's input and output, the function's result and its context. */
export interface ToolTypes {
  readonly name: string
  readonly input: unknown
  readonly args: unknown
  readonly result: unknown
  readonly context: unknown
}

/** A typed function that a model may call. */
export interface Tool<Types extends ToolTypes = ToolTypes> {
  /** The name that the model calls. */
  readonly name: Types['name']
  /** The description for the model. Empty if `describe` computes it. */
  readonly description: string
  /** The schema that validates arguments. */
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  /** The definition that requests contain. */
  readonly definition: ToolDefinition
  /** Runs the tool with validated arguments. Absent if the program that starts the run provides the results. */
  execute?(args: Types['args'], ctx: ToolContext<Types['context']>): unknown
  /**
   * Calls the tool directly, without a run: validates the arguments and enforces the tool's deadline. `concurrency` and
   * `rate` do not apply. @throws CapstanError `invalid_arguments`, `timeout`, `unsupported`, or the signal's reason
   */
  call(
    args: Types['input'],
    ...options: unknown extends Types['context']
      ? [options?: CallOptions<Types['context']>]
      : [options: CallOptions<Types['context']>]
  ): Promise<Types['result']>
  /** Validates results, including those that the caller supplies. */
  readonly output?: StandardSchemaV1
  /** Returns the part of a result that the model gets. */
  toModel?(result: unknown): unknown
  /** Returns the description for a run's context. The definition then has no description. */
  describe?(context: unknown): string
  /** For an array with a middleware: the tools that replace this one in an agent. Default: the tool itself. */
  readonly members?: readonly AnyTool[]
  /** The definition that requests contain, for a tool that the model's server runs. */
  readonly hosted?: HostedDefinition
  /** A middleware for runs with this tool. The tool imports it, so programs without the tool do not load it. */
  readonly middleware?: Middleware
  /** The agent that runs the calls, or takes over the conversation after a call. */
  readonly agent?: RunnerWithTools
  /** Returns the input for `run` from a call's arguments. Called in the call's host step. */
  toInput?(args: Types['args']): string
  /** Returns the step for a call with `toInput` or its child run. After an abort, returns a result. Must be pure. */
  run?(open: OpenCall, run: RunView): Step<Outcome> | CallResult
  /** Returns the schema for the answer to a call's question. */
  answerOf?(asked: PendingCall): StandardSchemaV1 | undefined
  /** Returns the id of the artifact whose text a call returns. The result is as trusted as this text. */
  reads?(args: unknown): string
  /** Whether a call ends the run with the agent's output. Such a tool is always offered, and needs no approval. */
  readonly endsRun?: boolean
  /** Whether the name is known only at run time. Results mark such calls as dynamic. */
  readonly isDynamic?: boolean
  /** For types only; absent at run time. */
  readonly '~types'?: Types
}

/** A tool whose types are unknown. */
export type AnyTool = Tool<ToolTypes>

/** A call in the last reply, until its step ends. */
export interface OpenCall {
  /** The call's position in the reply, from 0. */
  readonly index: number
  readonly call: ToolCall
  readonly result?: CallResult | undefined
  /** Set while the call needs a decision. */
  readonly pending?: PendingCall | undefined
  /** The call's child run, while it needs a decision. */
  readonly child?: StoredChild | undefined
  /** The return value of the tool's `toInput`, once the call may run. */
  readonly input?: string
  readonly notes?: ResultNotes
}

/** A call whose function is about to run. */
export interface RunningCall {
  readonly callId: string
  readonly name: string
  /** Validated arguments, as the tool's function gets them. */
  readonly arguments: unknown
  readonly tool: Tool
  /** The same for each attempt, and when the call is repeated after a crash. */
  readonly idempotencyKey: string
  /** Aborts with the run. The tool's `timeoutMs` limits each attempt, which has its own signal. */
  readonly signal: AbortSignal
  /** The artifact store for the tool's function. Stored artifacts record the call, and count toward the limits. */
  readonly artifacts?: ArtifactStore
  /** Data shared by all calls of the same step. */
  readonly step?: { readonly unattended: boolean }
}

/** The result of a call, with its error. The error is not enumerable, so it is not stored. */
export interface ToolOutcome extends CallResult {
  readonly error?: unknown
}

/** The tools of one run, found by name. */
export interface Toolset {
  readonly tools: readonly Tool[]
  readonly names: readonly string[]
  readonly definitions: readonly ToolDefinition[]
  /** Returns the definitions, with descriptions for a context. Undefined if no tool computes its description. */
  readonly describe: ((context: unknown) => readonly ToolDefinition[]) | undefined
  get(name: string): Tool | undefined
  /** Whether the model may call a tool that the request does not offer. Default: false. */
  mayCall?(name: string, offered: readonly string[]): boolean
}
