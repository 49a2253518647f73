import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Agent as Core, reaching, readState, toEmit } from './agent-core.js'
import {
  checkCost,
  checkRunOptions,
  checkToolChoice,
  knownOptions,
  lacking,
  type Needs,
  stepObserver,
} from './agent-options.js'
import { joinSignals } from './async.js'
import { invalidOption, withState } from './errors.js'
import { isFunction } from './json.js'
import { toLimits } from './limits.js'
import { checkSettings } from './model/request-body.js'
import { checkModel } from './model/retry.js'
import type { Caller, Feature, GivenStart, Run, RunInput } from './run/feature.js'
import { createState, isState } from './run/input.js'
import { memoryHost, toCheckpoint, withCheckpoints } from './run/memory-host.js'
import type { Middleware } from './run/middleware.js'
import { definitionHashOf, notAnAgent, reachesUntrusted } from './run/reachable-agents.js'
import type { RunContext } from './run/run-context.js'
import { toResult } from './run/run-to-end.js'
import { type AnyTool, type ContextOf, type Toolset, toToolset } from './tools/tool.js'
import type {
  AgentOptions,
  Agent as AgentType,
  AnyAgent,
  CommonOptions,
  ContextOfMiddleware,
  ContextOptions,
  OptionsArgument,
  OutputOf,
  PrepareOptions,
  RunResult,
  StepResult,
  StreamOptions,
  ToolsOf,
} from './types/agent.js'
import type { ModelOverride } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { Decision, Decisions, PendingCall, RunState } from './types/state.js'

/** Run options, without the types of the context and the tools. */
type StartOptions = CommonOptions &
  ContextOptions<unknown> & { readonly context?: unknown; onStep?(step: StepResult): unknown }

/** The tools and agents that a run can reach, and its model override. */
interface Inside {
  readonly toolset: Toolset
  readonly agents: ReadonlyMap<string, Core>
  readonly modelOf?: ModelOverride | undefined
}

/**
 * Returns an agent's internals.
 * @throws CapstanError `invalid_request` for a value that `new Agent(...)` did not create
 */
export function coreOf(agent: AnyAgent): Core {
  if (agent instanceof Core) return agent
  throw notAnAgent(agent)
}

/** Whether a stored `definitionHash` matches an agent's tools, in any order. */
export async function hasToolsOf(agent: AnyAgent, definitionHash: string): Promise<boolean> {
  // A wrapper has no toolset to hash, but the state of a prepared run contains the hash.
  if (!(agent instanceof Core)) return (await agent.prepare('.')).definitionHash === definitionHash
  return definitionHash === definitionHashOf(agent, agent.toolset)
}

/**
 * Whether an agent's runs may read text from an untrusted tool: the agent's own, or a tool of an agent that it can
 * reach. True for a wrapper, whose tools are unknown.
 */
export function hasUntrustedTool(agent: AnyAgent): boolean {
  if (!(agent instanceof Core)) return true
  return reachesUntrusted(agent) || [...coreOf(agent).agents.values()].some(addsUnknownTools)
}

/** Whether a middleware adds tools that are not known before a run starts. */
function addsUnknownTools({ middlewares }: Core): boolean {
  return middlewares.some(({ tools, toolNames }) => isFunction(tools) && !toolNames)
}

class Agent<
    Tools extends readonly AnyTool[],
    Output extends StandardSchemaV1 | undefined,
    Added extends readonly Middleware[],
  >
  extends Core
  implements AgentType<Tools, Output, Added>
{
  declare readonly '~agent': true
  declare readonly tools: Tools

  async prepare(input: RunInput, options: PrepareOptions = {}): Promise<RunState> {
    checkRunOptions(options, this.known)
    const state = await this.#begin(input, options, this)
    await this.#prepareInput(state, input, options)
    return state
  }

  with(options: Partial<AgentOptions<readonly AnyTool[]>>): AnyAgent {
    const { constructor: Made } = this as { readonly constructor: unknown }
    return new (Made as ReturnType<typeof agentWith>)({ ...this.options, ...options })
  }

  async run(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools> & ContextOfMiddleware<Added>, ToolsOf<Tools, Added>>
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    return this.#start(input, options ?? {})
  }

  stream(
    input: RunInput,
    ...[options]: OptionsArgument<
      ContextOf<Tools> & ContextOfMiddleware<Added>,
      ToolsOf<Tools, Added>,
      StreamOptions
    >
  ): Run<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    const given: StartOptions & StreamOptions = options ?? {}
    const { features, known, outputSchema } = this
    const streaming = features.find((one) => one.stream)
    if (!streaming?.stream) throw lacking('agent.stream', known)
    const checkDecision = (call: PendingCall, decision: Decision) =>
      this.#checkDecisions({ [call.callId]: decision }, [call], given)
    const start = (run: Caller) => this.#start(input, given, run)
    return streaming.stream(start, { ...given }, { outputSchema, checkDecision })
  }

  async #start(
    input: RunInput,
    options: StartOptions,
    start?: Caller,
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    checkRunOptions(options, this.known)
    const { session } = options
    const next = async (given: GivenStart) =>
      toResult<ToolsOf<Tools, Added>, OutputOf<Output>>(await this.#drive(given, options, start))
    const given = { input, known: 0 }
    if (!session) return next(given)
    if (!isFunction(session.store?.wrapRun)) {
      const message =
        'session has no session store. Use { store: memorySessions(), id }, or sessionStore({ load, ... }).'
      throw invalidOption('session', message)
    }
    return session.store.wrapRun(session, given, next)
  }

  async #drive(
    { input, known, middleware: further }: GivenStart,
    options: StartOptions,
    start?: Caller,
  ): Promise<RunContext> {
    const toolset = this.#toolsOf(options)
    const agents = this.agentsWith(toolset)
    const modelOf = toModelOverride(options.model)
    const state = await this.#begin(input, options, { toolset, agents, modelOf })
    const { signal, release } = joinSignals([options.signal, start?.signal])
    const { onCheckpoint } = options.silent ? {} : this.options
    const save = toCheckpoint([onCheckpoint, options.onCheckpoint])
    const { middleware, decided } = start ?? {}
    const binding = {
      runId: state.runId,
      agents,
      context: options.context,
      signal,
      emit: toEmit(state.runId, [
        middleware?.observe,
        options.observe,
        stepObserver(options.onStep),
        ...(options.silent ? [] : this.observers),
      ]),
      artifacts: options.artifacts ?? this.artifacts,
      prices: this.options.price,
      modelOf,
      inherited: reaching(this.middlewares),
      stream: start !== undefined,
      allowChangedTools: options.allowChangedTools,
      unattended: options.unattended,
      policy: options.policy,
      silent: options.silent,
      ...(decided && { decided: (call: PendingCall) => decided(call, signal) }),
    }
    try {
      const host = withCheckpoints(options.host ?? memoryHost, state, save)(binding)
      const prepare = () => this.#prepareInput(state, input, options, known)
      const parts = {
        ...binding,
        host,
        innermost: [middleware, further].filter((one) => one !== undefined),
        beginsAs: state.agent,
        options: { ...options },
      }
      const run = await this.runFrom(state, toolset, parts, prepare)
      // If saving fails, the error contains the state, as for any other failure.
      try {
        await save?.(state)
      } catch (error) {
        throw withState(error, state)
      }
      return run
    } finally {
      release()
    }
  }

  /** Returns the state that the run starts from. Expects options that `checkRunOptions` has accepted. */
  async #begin(
    input: RunInput,
    options: StartOptions,
    { toolset, agents, modelOf }: Inside,
  ): Promise<RunState> {
    const { name: agent, options: own, model } = this
    const { runId, limits } = options
    checkSettings(options.settings)
    const state = isState(input)
      ? readState(this, input, { toolset, agents, runId, limits, options: { ...options } })
      : createState(input, {
          ...{ agent, runId, limits: toLimits(this.limits, limits) },
          definitionHash: definitionHashOf(this, toolset, agents),
        })
    const current = agents.get(state.agent)
    checkToolChoice(options.toolChoice ?? 'auto', current && current !== this ? current.toolset : toolset)
    await checkCost(state.limits, own.price, (modelOf?.(model, agent) ?? model).name)
    await this.#checkDecisions(options.decisions ?? {}, state.pending, options)
    return state
  }

  /** Lets features change the input messages, except those from a state or a session, which are already stored. */
  async #prepareInput(
    { messages }: RunState,
    input: RunInput,
    options: StartOptions,
    known = 0,
  ): Promise<void> {
    const { artifacts = this.artifacts } = options
    const from = isState(input) ? messages.length : known
    for (const { prepareInput } of this.features) {
      const changed = await prepareInput?.({ messages, from, options: { ...options }, artifacts })
      if (changed && changed !== messages) messages.splice(0, messages.length, ...changed)
    }
  }

  async #checkDecisions(
    decisions: Decisions,
    pending: readonly PendingCall[],
    options: StartOptions,
  ): Promise<void> {
    const { features, known } = this
    const reader = features.find((one) => one.checkDecisions)
    if (!reader && Object.keys(decisions).length > 0) throw lacking('decisions', known)
    await reader?.checkDecisions?.(decisions, pending, (call) => this.#toolsBehind(call, options))
  }

  /** Returns the tools of the agent that made a call, in this run or in a child run. */
  #toolsBehind({ agent = this.name }: PendingCall, options: StartOptions): Toolset {
    const own = this.#toolsOf(options)
    const other = this.agentsWith(own).get(agent)
    return other && other !== this ? other.toolset : own
  }

  #toolsOf({ tools = [] }: StartOptions): Toolset {
    const { toolset } = this
    return tools.length === 0 ? toolset : toToolset([...toolset.tools, ...tools])
  }
}

/** The features and the default model that an entry point, such as `@capstan/core`, gives its agents. */
export interface Entry {
  /** Creates each agent's features, outermost first. Called once. */
  features(): readonly Feature[]
  /** Creates the model for an agent whose `model` is a string. */
  chatModel(name: string): ChatModel
  readonly needs: Needs
}

/** Creates an agent class with an entry point's features. An agent's types are inferred from its options. */
export function agentWith({ features: make, chatModel, needs }: Entry): {
  /**
   * @throws CapstanError `invalid_tool` for two tools with the same name; `invalid_request` for request fields that the
   * agent sets itself
   */
  new <
    const Tools extends readonly AnyTool[] = [],
    Output extends StandardSchemaV1 | undefined = undefined,
    const Added extends readonly Middleware[] = [],
  >(
    options: AgentOptions<Tools, Output, Added>,
  ): AgentType<Tools, Output, Added>
  readonly prototype: AgentType
} {
  const features = make()
  const standard = { features, known: knownOptions(features, needs), chatModel }
  class Made<
    Tools extends readonly AnyTool[],
    Output extends StandardSchemaV1 | undefined,
    Added extends readonly Middleware[],
  > extends Agent<Tools, Output, Added> {
    /** The class name that is shown when an agent is printed. */
    static override readonly name = 'Agent'

    constructor(options: AgentOptions<Tools, Output, Added>) {
      // The core class does not know the tools' types, which the parameter of `onStep` has.
      super(options as unknown as AgentOptions<readonly AnyTool[]>, standard)
    }
  }
  return Made
}

/**
 * Reads the `model` run option. A function is called once for each model that an agent uses, and never for a model that
 * the function itself returned.
 * @throws CapstanError `invalid_request` for a value that is not a ChatModel
 */
function toModelOverride(given: ChatModel | ModelOverride | undefined): ModelOverride | undefined {
  if (given === undefined) return undefined
  if (!isFunction(given)) {
    checkModel(given)
    return () => given
  }
  const byAgent = new Map<string, Map<ChatModel, ChatModel>>()
  return (own, agent) => {
    const known = byAgent.get(agent) ?? new Map<ChatModel, ChatModel>()
    byAgent.set(agent, known)
    const other = known.get(own) ?? given(own, agent)
    checkModel(other)
    known.set(own, other)
    if (!known.has(other)) known.set(other, other)
    return other
  }
}
