import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type AgentOptions,
  type CommonRunOptions,
  checkCost,
  checkOptions,
  checkRunOptions,
  checkToolChoice,
  type Observer,
  type OptionsArgument,
  type PrepareOptions,
  type RunOptions,
} from './agent-options.js'
import { type AgentTool, type AsToolOptions, createAgentTool } from './agents/agent-tool.js'
import {
  agentsOf,
  type InnerAgent,
  reachesUntrusted,
  toolsIdentityOf,
  withAgent,
} from './agents/reachable-agents.js'
import { attach } from './artifacts/attachments.js'
import { type ArtifactLibrary, artifactLibrary } from './artifacts/library.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { joinSignals, safeListener } from './async.js'
import { CapstanError, withState } from './errors.js'
import type { Jsonified } from './json.js'
import { toLimits } from './limits.js'
import { type StructuredOutput, toStructuredOutput } from './middleware/structured-output.js'
import { chatModel } from './model/chat-model.js'
import { checkSettings } from './model/request-body.js'
import { type AnyRunResult, type RunResult, toResult } from './result.js'
import { type OnCheckpoint, toCheckpoint, withCheckpoints } from './run/checkpoints.js'
import { withFailure } from './run/child-runs.js'
import { checkDecision, checkDecisions } from './run/decisions.js'
import { memoryHost } from './run/memory-host.js'
import type { RunContext } from './run/run-context.js'
import { runToEnd } from './run/run-to-end.js'
import { createState, type RunInput } from './run/start.js'
import { Run, type RunStart, type StreamOptions } from './run.js'
import { toRunSettings } from './run-settings.js'
import { inSession } from './sessions/run-in-session.js'
import { type AnyTool, type ContextOf, isOfTools, type Toolset, toToolset } from './tools/tool.js'
import { type Emit, type EventBody, type Stamp, withFields } from './types/event.js'
import type { ChildAgent, HostContext, ModelOverride } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { Decision, Limits, PendingCall, RunState } from './types/state.js'

/** An agent with any tools, as other packages accept it. */
export interface AnyAgent {
  readonly name: string
  readonly artifacts: ArtifactLibrary
  /** The tools in the order they were given. */
  readonly tools: readonly AnyTool[]
  readonly agents: ReadonlyMap<string, ChildAgent>
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  run(input: RunInput, options: RunOptions<never>): Promise<AnyRunResult>
  stream(input: RunInput, options: RunOptions<never> & StreamOptions): Run<AnyRunResult>
}

/** The type of `result.output`: the schema's output as JSON keeps it. */
type OutputOf<Schema> = Schema extends StandardSchemaV1
  ? Jsonified<StandardSchemaV1.InferOutput<Schema>>
  : undefined

/** The options of a run, with the type of its context erased. */
type StartOptions = CommonRunOptions & { readonly context?: unknown }

/** The agents that a run can reach. */
interface Inside {
  readonly toolset: Toolset
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly modelOf: ModelOverride | undefined
}

const cores = new WeakMap<AnyAgent, AgentCore>()

/** The internals of an agent. @throws TypeError for an object that `new Agent(...)` did not make */
export function coreOf(agent: AnyAgent): AgentCore {
  const core = cores.get(agent)
  if (!core) throw new TypeError('The object is not an agent. Make one with new Agent(...).')
  return core
}

/** Whether a stored `definitionHash` is that of an agent's tools, in any order. */
export async function hasToolsOf(agent: AnyAgent, definitionHash: string): Promise<boolean> {
  const core = cores.get(agent)
  // A wrapper of the application tells it through a run that it would start.
  if (!core) return (await agent.prepare('.')).definitionHash === definitionHash
  return isOfTools(definitionHash, toolsIdentityOf(core, core.toolset, core.agents))
}

/** Whether runs of an agent may read text of an untrusted tool, of its own or of an agent that they reach. */
export function hasUntrustedTool(agent: AnyAgent): boolean {
  const core = cores.get(agent)
  return !core || reachesUntrusted(core)
}

/**
 * A model with tools and instructions. An agent keeps no conversation: runs do not share history.
 * @throws CapstanError `invalid_tool` for two tools of one name, `invalid_request` for request fields that the agent writes
 */
export class Agent<
  const Tools extends readonly AnyTool[] = [],
  Output extends StandardSchemaV1 | undefined = undefined,
> {
  readonly name: string
  /** The artifacts that its runs made or received. */
  readonly artifacts: ArtifactLibrary
  /** The tools in the order they were given. */
  readonly tools: Tools
  /** All agents that a run can reach, by name, this one included. A host needs them to run child agents elsewhere. */
  readonly agents: ReadonlyMap<string, ChildAgent>
  readonly #core: AgentCore

  constructor(options: AgentOptions<Tools, Output>) {
    this.#core = new AgentCore(options as AgentOptions<readonly AnyTool[]>)
    this.name = this.#core.name
    this.artifacts = this.#core.artifacts
    this.agents = this.#core.agents
    this.tools = Object.freeze([...(options.tools ?? [])]) as unknown as Tools
    cores.set(this as unknown as AnyAgent, this.#core)
  }

  /**
   * Returns the state that a run would start from. Checks all options and stores attachments, but sends no request
   * and calls no tool. `agent.run(state)` runs it, here or in another process. Pass decisions to it again:
   * `{ decisions: state.decisions }`.
   * @throws CapstanError as a run does before its first step
   */
  async prepare(input: RunInput, options: PrepareOptions = {}): Promise<RunState> {
    const { toolset, agents } = this.#core
    const { state } = await this.#begin(input, options, { toolset, agents, modelOf: undefined })
    const { attachments = [], artifacts = this.artifacts.store } = options
    const last = await attach(state.messages.at(-1), attachments, artifacts)
    if (last) state.messages.splice(-1, 1, last)
    return state
  }

  /** Runs to the end. @throws CapstanError when a request fails; `error.state` has what the run had so far */
  async run(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools>>
  ): Promise<RunResult<Tools, OutputOf<Output>>> {
    return this.#start(input, options ?? {})
  }

  /** Starts the same run and returns it at once, with its events and streamed text. */
  stream(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools>, StreamOptions>
  ): Run<RunResult<Tools, OutputOf<Output>>> {
    const given: StartOptions & StreamOptions = options ?? {}
    const check = (call: PendingCall, decision: Decision) =>
      checkDecision(call, decision, this.#toolsBehind(call, given))
    return new Run((start) => this.#start(input, given, start), given, check, this.#core.output?.form)
  }

  /**
   * Returns a tool that runs this agent as a child run. The parent run shares its limits, and receives the usage,
   * artifacts, events and pending calls of the child. @throws CapstanError `invalid_tool` for an invalid tool name
   */
  asTool<const Name extends string = string>(
    options: AsToolOptions<Name> = {},
  ): AgentTool<Name, ContextOf<Tools>> {
    const run = async (input: string, context: unknown, signal: AbortSignal) => {
      const result = await this.#start(input, { context, signal })
      return result.stopReason === 'condition' && result.text !== '' ? result.text : result.orThrow().text
    }
    return withAgent(createAgentTool<Name, ContextOf<Tools>>(this.#core.name, options, run), this.#core)
  }

  #start(
    input: RunInput,
    options: StartOptions,
    start?: RunStart,
  ): Promise<RunResult<Tools, OutputOf<Output>>> {
    return inSession(options.session, input, (whole) => this.#drive(whole, options, start))
  }

  async #drive(
    input: RunInput,
    options: StartOptions,
    start?: RunStart,
  ): Promise<RunResult<Tools, OutputOf<Output>>> {
    const core = this.#core
    const toolset = this.#toolsOf(options)
    const agents = agentsOf(core, toolset)
    const modelOf = toModelOverride(options.model)
    const walk = await this.#begin(input, options, { toolset, agents, modelOf })
    const { state } = walk
    const begun = state.agent
    const { signal, release } = joinSignals([options.signal, start?.signal])
    const { observe, onCheckpoint } = options.silent ? {} : core.options
    const save = toCheckpoint([onCheckpoint, options.onCheckpoint])
    const { room, inbox, listen } = start ?? {}
    const binding = {
      runId: state.runId,
      agents,
      context: options.context,
      signal,
      emit: toEmit(state.runId, [listen, options.observe, observe]),
      artifacts: options.artifacts ?? core.artifacts.store,
      prices: core.options.price,
      modelOf,
      stream: start !== undefined,
      allowChangedTools: options.allowChangedTools,
      unattended: options.unattended,
      silent: options.silent,
      ...(room && { decided: (call: PendingCall) => room.wait(call, signal) }),
    }
    try {
      const host = withCheckpoints(options.host ?? memoryHost, state, save)(binding)
      const { settings, toolChoice: choice, taintedBy } = options
      const toolChoice = choice && { of: begun, choice }
      const plan = toRunSettings(core, toolset, {
        ...binding,
        walk,
        host,
        inbox,
        settings,
        toolChoice,
        taintedBy,
      })
      const attachments = options.attachments ?? []
      await runToEnd(walk, plan, () => attach(state.messages.at(-1), attachments, binding.artifacts))
      await keep(state, save)
    } finally {
      release()
    }
    const known = core.toolset.tools.filter(({ isDynamic }) => !isDynamic).map(({ name }) => name)
    return toResult<Tools, OutputOf<Output>>(walk, new Set(known), inbox?.take())
  }

  /** Checks the options of a run and returns its context. */
  async #begin(
    input: RunInput,
    options: StartOptions,
    { toolset, agents, modelOf }: Inside,
  ): Promise<RunContext> {
    const { name: agent, limits, options: own, model } = this.#core
    const { runId, limits: further, allowChangedTools, decisions, settings } = options
    checkRunOptions(options)
    checkSettings(settings)
    const tools = toolsIdentityOf(this.#core, toolset, agents)
    const walk = createState(input, { agent, ...tools, limits, runId, further, allowChangedTools, decisions })
    const goesOn = agents.get(walk.state.agent)
    checkToolChoice(options.toolChoice ?? 'auto', goesOn && goesOn !== this.#core ? goesOn.toolset : toolset)
    await checkCost(walk.state.limits, own.price, (modelOf?.(model, agent) ?? model).name)
    await checkDecisions(decisions ?? {}, walk.state.pending, (call) => this.#toolsBehind(call, options))
    return walk
  }

  /** The tools of the agent that made a call, in this run or in a child run. */
  #toolsBehind({ agent = this.name }: PendingCall, options: StartOptions): Toolset {
    const own = this.#toolsOf(options)
    return agent === this.name ? own : (agentsOf(this.#core, own).get(agent)?.toolset ?? own)
  }

  #toolsOf({ tools = [] }: StartOptions): Toolset {
    const { toolset } = this.#core
    return tools.length === 0 ? toolset : toToolset([...toolset.tools, ...tools])
  }
}

/** Saves the last state. A failure carries the state on its error. */
async function keep(state: RunState, save: OnCheckpoint | undefined): Promise<void> {
  try {
    await save?.(state)
  } catch (error) {
    throw withState(error, state)
  }
}

/** An agent without its types, as its own runs and its parents' runs use it. */
class AgentCore implements InnerAgent {
  readonly name: string
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly toolset: Toolset
  readonly output: StructuredOutput | undefined
  readonly artifacts: ArtifactLibrary
  /** All agents that a run can reach, by name, this one included. */
  readonly agents: ReadonlyMap<string, InnerAgent>
  /** The default limits of its runs. */
  readonly limits: Limits

  constructor(options: AgentOptions<readonly AnyTool[]>) {
    this.name = options.name ?? 'agent'
    this.options = options
    this.model = typeof options.model === 'string' ? chatModel(options.model) : options.model
    this.toolset = toToolset(options.tools ?? [])
    this.output = options.output && toStructuredOutput(options.output, this.toolset.tools)
    this.artifacts = artifactLibrary(options.artifacts ?? memoryArtifacts())
    checkOptions(options, this.toolset)
    this.limits = toLimits({ steps: 20 }, options.limits)
    this.agents = agentsOf(this, this.toolset)
  }

  start(input: string, { runId, limits }: { readonly runId: string; readonly limits: Limits }): RunState {
    return createState(input, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset),
      runId,
      limits: this.limits,
      further: tighter(this.limits, limits),
    }).state
  }

  async proceed(given: RunState, binding: HostContext): Promise<RunState> {
    const { agents } = this
    // Limits raised for the parent run do not raise the limits of this agent.
    const further = toLimits(this.limits, tighter(this.limits, given.limits))
    const { allowChangedTools, prices } = binding
    const walk = createState(given, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset, agents),
      limits: {},
      further,
      allowChangedTools,
      // The decisions of the parent run.
      decisions: given.decisions,
    })
    const inner = {
      ...binding,
      agents,
      emit: both(binding.emit, toEmit(given.runId, [binding.silent ? undefined : this.options.observe])),
      prices: this.options.price ?? prices,
    }
    const run = { ...inner, walk, host: (inner.hostWithin ?? memoryHost)(inner) }
    try {
      return await runToEnd(walk, toRunSettings(this, this.toolset, run), async () => undefined)
    } catch (error) {
      // The parent run sees a failed call.
      return withFailure(walk.state, error)
    }
  }
}

/** Sends each event to both sinks as a copy: one stamps the run, the other the agent. */
function both(one: Emit, other: Emit): Emit {
  if (!one || !other) return one ?? other
  return (event) => {
    other(withFields(event, {}))
    one(event)
  }
}

/** The smaller of each two limits. */
function tighter(own: Limits, left: Limits): Limits {
  const { perTool, ...amounts } = left as Limits & Record<string, number | undefined>
  const smaller = (bounds: object, others: object) =>
    Object.entries(bounds).map(([name, bound]) => [
      name,
      Math.min(bound, new Map(Object.entries(others)).get(name) ?? bound),
    ])
  const inner = perTool && { ...own.perTool, ...Object.fromEntries(smaller(perTool, own.perTool ?? {})) }
  return { ...Object.fromEntries(smaller(amounts, own)), ...(inner ? { perTool: inner } : {}) }
}

/** Returns a sink that stamps events for all observers; undefined without observers, so that no event is made. */
function toEmit(runId: string, observers: readonly (Observer | undefined)[]): Emit {
  const listeners = observers.filter((one) => one !== undefined).map(safeListener)
  if (listeners.length === 0) return undefined
  let seq = 0
  return (event) => {
    const stamped = event as EventBody & Writable<Stamp>
    stamped.runId = runId
    stamped.seq = seq++
    for (const listener of listeners) listener(stamped)
  }
}

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] }

/**
 * Reads the run option `model`. Each model of an agent is replaced once; a replacement is not replaced.
 * @throws CapstanError `invalid_request` for a value that is not a ChatModel
 */
function toModelOverride(given: ChatModel | ModelOverride | undefined): ModelOverride | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'function') {
    const model = checked(given)
    return () => model
  }
  const byAgent = new Map<string, Map<ChatModel, ChatModel>>()
  return (own, agent) => {
    const known = byAgent.get(agent) ?? new Map<ChatModel, ChatModel>()
    byAgent.set(agent, known)
    const other = known.get(own) ?? checked(given(own, agent))
    known.set(own, other)
    if (!known.has(other)) known.set(other, other)
    return other
  }
}

function checked(model: ChatModel): ChatModel {
  if (typeof model?.complete === 'function') return model
  const message = '`model` is not a ChatModel. Use chatModel(name) or openaiModel(client, name).'
  throw new CapstanError('invalid_request', message)
}
