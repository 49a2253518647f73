import type { StandardSchemaV1 } from '@standard-schema/spec'
import { AgentCore, ownTools, readState, type Standard, toEmit } from './agent-core.js'
import {
  checkCost,
  checkRunOptions,
  checkToolChoice,
  knownOptions,
  lacking,
  type Needs,
  stepObserver,
} from './agent-options.js'
import type { ArtifactStore } from './artifacts/artifact.js'
import { joinSignals } from './async.js'
import { CapstanError, withState } from './errors.js'
import { toLimits } from './limits.js'
import { checkModel } from './model/check-model.js'
import { checkSettings } from './model/request-body.js'
import { kindOf } from './option-names.js'
import type { Feature, GivenRun, Run, RunInput, RunStart } from './run/feature.js'
import { createState, isState } from './run/input.js'
import { memoryHost, type OnCheckpoint, toCheckpoint, withCheckpoints } from './run/memory-host.js'
import type { Middleware } from './run/middleware.js'
import { definitionHashOf, reachesUntrusted } from './run/reachable-agents.js'
import type { RunContext } from './run/run-context.js'
import { toResult } from './run/run-to-end.js'
import { type AnyTool, type ContextOf, type Toolset, toToolset } from './tools/tool.js'
import type {
  Agent,
  AgentConstructor,
  AgentOptions,
  AnyAgent,
  CommonRunOptions,
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
import type { ChildRunner, ModelOverride } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { Decision, Decisions, PendingCall, RunState } from './types/state.js'

/** The options of a run, with the type of its context erased. */
type StartOptions = CommonRunOptions &
  ContextOptions<unknown> & { readonly context?: unknown; onStep?(step: StepResult): unknown }

/** How a run begins. */
interface Beginning {
  /** The number of messages in front that were stored before. */
  readonly known: number
  readonly start: RunStart | undefined
}

/** The agents that a run can reach. */
interface Inside {
  readonly toolset: Toolset
  readonly agents: ReadonlyMap<string, AgentCore>
  readonly modelOf: ModelOverride | undefined
}

/** Returns the internals of an agent. @throws CapstanError `invalid_request` for a value that `new Agent(...)` did not make */
export let coreOf: (agent: AnyAgent) => AgentCore

/** Whether a stored `definitionHash` is that of an agent's tools, in any order. */
export async function hasToolsOf(agent: AnyAgent, definitionHash: string): Promise<boolean> {
  // A wrapper of the application tells it through a run that it would start.
  if (!(agent instanceof AgentOf)) return (await agent.prepare('.')).definitionHash === definitionHash
  const core = coreOf(agent)
  return definitionHash === definitionHashOf(core, core.toolset)
}

/** Whether runs of an agent may read text of an untrusted tool, of its own or of an agent that they reach. */
export function hasUntrustedTool(agent: AnyAgent): boolean {
  if (!(agent instanceof AgentOf)) return true
  const core = coreOf(agent)
  return reachesUntrusted(core) || [...core.agents.values()].some(addsUnknownTools)
}

/** Whether a middleware adds tools that are known only in a run. */
function addsUnknownTools({ middlewares }: AgentCore): boolean {
  return middlewares.some(({ tools, toolNames }) => typeof tools === 'function' && !toolNames)
}

class AgentOf<
  Tools extends readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined,
  Added extends readonly Middleware[],
> implements Agent<Tools, Output, Added>
{
  declare readonly '~agent': true
  readonly name: string
  readonly artifacts: ArtifactStore
  readonly tools: Tools
  readonly agents: ReadonlyMap<string, ChildRunner>
  readonly #core: AgentCore
  static {
    coreOf = (agent) => {
      const given = Object(agent)
      if (#core in given) return given.#core
      const message = `An agent is needed, not ${kindOf(agent)}. Use new Agent(...).`
      throw new CapstanError('invalid_request', message)
    }
  }

  constructor(options: AgentOptions<Tools, Output, Added>, standard: Standard) {
    // The core has no types of tools: `onStep` gets the steps of these.
    this.#core = new AgentCore(options as unknown as AgentOptions<readonly AnyTool[]>, standard)
    this.name = this.#core.name
    this.artifacts = this.#core.artifacts
    this.agents = this.#core.agents
    this.tools = Object.freeze(ownTools(options.tools)) as unknown as Tools
  }

  async prepare(input: RunInput, options: PrepareOptions = {}): Promise<RunState> {
    checkRunOptions(options, this.#core.known)
    const { toolset, agents } = this.#core
    const state = await this.#begin(input, options, { toolset, agents, modelOf: undefined })
    await this.#prepareInput(state, input, options)
    return state
  }

  with(options: Partial<AgentOptions<readonly AnyTool[]>>): AnyAgent {
    const { constructor: Made } = this as { readonly constructor: unknown }
    return new (Made as AgentConstructor)({ ...this.#core.options, ...options })
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
    const { features, known, outputSchema } = this.#core
    const streaming = features.find((one) => one.stream)
    if (!streaming?.stream) throw lacking('agent.stream', known)
    const checkDecision = (call: PendingCall, decision: Decision) =>
      this.#checkDecisions({ [call.callId]: decision }, [call], given)
    const start = (run: RunStart) => this.#start(input, given, run)
    return streaming.stream(start, { ...given }, { outputSchema, checkDecision })
  }

  async #start(
    input: RunInput,
    options: StartOptions,
    start?: RunStart,
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    let ended: RunContext | undefined
    let next = async (given: GivenRun): Promise<RunState> => {
      ended = await this.#drive(given.input, options, { known: given.known, start })
      return ended.state
    }
    for (const one of this.#core.features)
      if (one.wrapRun)
        next = (
          (inner) => (given: GivenRun) =>
            one.wrapRun?.(given, inner) ?? inner(given)
        )(next)
    await next({ input, options: { ...options }, known: 0 })
    return toResult<ToolsOf<Tools, Added>, OutputOf<Output>>(ended as unknown as RunContext)
  }

  async #drive(input: RunInput, options: StartOptions, { known, start }: Beginning): Promise<RunContext> {
    const core = this.#core
    checkRunOptions(options, core.known)
    const toolset = this.#toolsOf(options)
    const agents = core.agentsWith(toolset)
    const modelOf = toModelOverride(options.model)
    const state = await this.#begin(input, options, { toolset, agents, modelOf })
    const { signal, release } = joinSignals([options.signal, start?.signal])
    const { onCheckpoint } = options.silent ? {} : core.options
    const save = toCheckpoint([onCheckpoint, options.onCheckpoint])
    const { middleware: innermost, decided } = start ?? {}
    const binding = {
      runId: state.runId,
      agents,
      context: options.context,
      signal,
      emit: toEmit(state.runId, [
        innermost?.observe,
        options.observe,
        stepObserver(options.onStep),
        ...(options.silent ? [] : core.observers),
      ]),
      artifacts: options.artifacts ?? core.artifacts,
      prices: core.options.price,
      modelOf,
      stream: start !== undefined,
      allowChangedTools: options.allowChangedTools,
      unattended: options.unattended,
      policy: options.policy,
      silent: options.silent,
      ...(decided && { decided: (call: PendingCall) => decided(call, signal) }),
    }
    try {
      const host = withCheckpoints(options.host ?? memoryHost, state, save)(binding)
      const given = { innermost, beginsAs: state.agent, options: { ...options } }
      const prepare = () => this.#prepareInput(state, input, options, known)
      const run = await core.runFrom(state, toolset, { ...binding, host, ...given }, prepare)
      await keep(state, save)
      return run
    } finally {
      release()
    }
  }

  /** Returns the state of a run, whose options have valid names and kinds. */
  async #begin(
    input: RunInput,
    options: StartOptions,
    { toolset, agents, modelOf }: Inside,
  ): Promise<RunState> {
    const core = this.#core
    const { name: agent, options: own, model } = core
    const { runId, limits } = options
    checkSettings(options.settings)
    const state = isState(input)
      ? readState(core, input, { toolset, agents, runId, limits, options: { ...options } })
      : createState(input, {
          ...{ agent, runId, limits: toLimits(core.limits, limits) },
          definitionHash: definitionHashOf(core, toolset, agents),
        })
    const current = agents.get(state.agent)
    checkToolChoice(options.toolChoice ?? 'auto', current && current !== core ? current.toolset : toolset)
    await checkCost(state.limits, own.price, (modelOf?.(model, agent) ?? model).name)
    await this.#checkDecisions(options.decisions ?? {}, state.pending, options)
    return state
  }

  /** Lets features change the messages of an input: those of a state, and of a session, are stored. */
  async #prepareInput(
    { messages }: RunState,
    input: RunInput,
    options: StartOptions,
    known = 0,
  ): Promise<void> {
    const { artifacts = this.artifacts } = options
    const from = isState(input) ? messages.length : known
    for (const { prepareInput } of this.#core.features) {
      const changed = await prepareInput?.({ messages, from, options: { ...options }, artifacts })
      if (changed && changed !== messages) messages.splice(0, messages.length, ...changed)
    }
  }

  async #checkDecisions(
    decisions: Decisions,
    pending: readonly PendingCall[],
    options: StartOptions,
  ): Promise<void> {
    const { features, known } = this.#core
    const reader = features.find((one) => one.checkDecisions)
    if (!reader && Object.keys(decisions).length > 0) throw lacking('decisions', known)
    await reader?.checkDecisions?.(decisions, pending, (call) => this.#toolsBehind(call, options))
  }

  /** The tools of the agent that made a call, in this run or in a child run. */
  #toolsBehind({ agent = this.name }: PendingCall, options: StartOptions): Toolset {
    const own = this.#toolsOf(options)
    return agent === this.name ? own : (this.#core.agentsWith(own).get(agent)?.toolset ?? own)
  }

  #toolsOf({ tools = [] }: StartOptions): Toolset {
    const { toolset } = this.#core
    return tools.length === 0 ? toolset : toToolset([...toolset.tools, ...tools])
  }
}

/** What an entry gives its agents. */
export interface Entry {
  /** Makes the features of each agent, the first outermost. Called once. */
  features(): readonly Feature[]
  /** Makes the model of a name. */
  chatModel(name: string): ChatModel
  readonly needs: Needs
}

/** Makes the class of agents with some features. */
export function agentWith({ features: make, chatModel, needs }: Entry): AgentConstructor {
  const features = make()
  const standard = { features, known: knownOptions(features, needs), chatModel }
  class Agent<
    Tools extends readonly AnyTool[],
    Output extends StandardSchemaV1 | undefined,
    Added extends readonly Middleware[],
  > extends AgentOf<Tools, Output, Added> {
    /** Shown where an agent is printed. */
    static override readonly name = 'Agent'

    constructor(options: AgentOptions<Tools, Output, Added>) {
      super(options, standard)
    }
  }
  return Agent
}

/** Saves the last state. A failure carries the state on its error. */
async function keep(state: RunState, save: OnCheckpoint | undefined): Promise<void> {
  try {
    await save?.(state)
  } catch (error) {
    throw withState(error, state)
  }
}

/**
 * Reads the run option `model`. Each model of an agent is replaced once; a replacement is not replaced.
 * @throws CapstanError `invalid_request` for a value that is not a ChatModel
 */
function toModelOverride(given: ChatModel | ModelOverride | undefined): ModelOverride | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'function') {
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
