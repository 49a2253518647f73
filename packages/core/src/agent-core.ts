// biome-ignore assist/source/organizeImports: this order keeps similar code together in a bundle, which gzip needs.
import { runAnsweredCall } from './run/run-tools.js'
import {
  checkAgentOptions,
  checkMiddlewares,
  checkOptions,
  type KnownOptions,
  knownOptions,
  lacking,
  stepObserver,
} from './agent-options.js'
import type { ArtifactStore } from './artifacts/artifact.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { safeListener } from './async.js'
import { CapstanError, invalidOption, messageOf } from './errors.js'
import { getOwn, isFunction, isString, lastOfEach } from './json.js'
import { tighter, toLimits } from './limits.js'
import { toFields } from './model/request-body.js'
import type { Feature, GivenOptions } from './run/feature.js'
import { Hooks, replacements } from './run/hooks.js'
import { createState, firstUserMessage } from './run/input.js'
import { memoryHost } from './run/memory-host.js'
import type { AnyTool, Middleware, RunnerWithTools, Toolset } from './run/middleware.js'
import { agentsOf, definitionHashOf, toolsWithin, trustIn } from './run/reachable-agents.js'
import { type AgentSettings, type ContextParts, RunContext } from './run/run-context.js'
import { runToEnd } from './run/run-to-end.js'
import { withoutCredentials } from './secrets/secrets.js'
import { createCallScheduler } from './tools/concurrency.js'
import { toToolset } from './tools/tool.js'
import { invalidTool } from './tools/tool-options.js'
import type { AgentOptions, CommonOptions, ContextOptions, Observer } from './types/agent.js'
import { type Emit, type EventBody, type Stamp, withFields, withHidden } from './types/event.js'
import type { HostContext, RunHost } from './types/host.js'
import type { ChatModel, OutputSchema } from './types/model.js'
import type { Limits, RunState } from './types/state.js'

/** The features and the model factory that all agents of an entry point share. */
export interface Standard {
  /** The features of each agent, the first outermost. */
  readonly features: readonly Feature[]
  readonly known: KnownOptions
  /** Creates the model for an agent whose `model` is a string. */
  chatModel(name: string): ChatModel
}

/** Returns the state that a run continues from. @throws CapstanError `unsupported` if no feature can read states */
export function readState(
  agent: Agent,
  given: RunState,
  {
    toolset,
    agents,
    ...request
  }: Pick<Parameters<NonNullable<Feature['readState']>>[1], 'runId' | 'limits' | 'options'> & {
    readonly toolset: Toolset
    readonly agents: ReadonlyMap<string, Agent>
  },
): RunState {
  const reader = agent.features.find((one) => one.readState)
  if (!reader?.readState) throw lacking('A state as input', agent.known)
  return reader.readState(given, {
    ...request,
    definitionHash: definitionHashOf(agent, toolset, agents),
    onResume(state, before) {
      const own = agents.get(state.agent)
      if (!own) return state
      const ofRun = broughtBy(toolset.tools).filter((one) => !own.middlewares.includes(one))
      return [...own.hooks.onResume, ...ofRun].reduce(
        (last, one) => one.onResume?.(last, before) ?? last,
        state,
      )
    },
  })
}

/** An agent without the types of its tools and output. Used by the agent's own runs and by parent runs. */
export class Agent implements RunnerWithTools {
  declare readonly name: string
  declare readonly options: AgentOptions<readonly AnyTool[]>
  declare readonly tools: readonly AnyTool[]
  declare readonly givenTools: readonly AnyTool[]
  declare readonly model: ChatModel
  /** The agent's tools, and the tools that its middlewares add to every step. */
  declare readonly toolset: Toolset
  declare readonly features: readonly Feature[]
  /** The middleware that each feature made from the agent's options. */
  declare readonly made: ReadonlyMap<Feature, Middleware | undefined>
  declare readonly middlewares: readonly Middleware[]
  declare readonly hooks: Hooks
  declare readonly known: KnownOptions
  /** The observers from the agent's own options and middlewares. */
  declare readonly observers: readonly (Observer | undefined)[]
  declare readonly artifacts: ArtifactStore
  /** All agents that a run can reach, including this one, by name. */
  declare readonly agents: ReadonlyMap<string, Agent>
  /** Middlewares that tools add to the agent's runs: its own tools, and the tools of every agent that it can reach. */
  declare readonly brought: readonly Middleware[]
  /** Apply to every run, unless the run overrides them. */
  declare readonly limits: Limits

  constructor(options: AgentOptions<readonly AnyTool[]>, { features, known, chatModel }: Standard) {
    const { features: further = [] } = Object(options) as typeof options
    this.features = lastOfEach([...features, ...further], 'name')
    this.known = further.length > 0 ? knownOptions(this.features, known.needs) : known
    checkAgentOptions(options, this.known)
    this.name = options.name ?? 'agent'
    this.options = options
    this.givenTools = options.tools ?? []
    this.tools = Object.freeze(this.givenTools.flatMap((tool) => tool?.members ?? [tool]))
    this.model = isString(options.model) ? chatModel(options.model) : options.model
    const given: GivenOptions = { ...options }
    const own = checkMiddlewares(options.middleware ?? [])
    this.made = new Map(this.features.map((one) => [one, one.forAgent ? one.forAgent(given) : one]))
    this.middlewares = middlewaresOf(this, this)
    checkReplacements(own, given, this.made)
    this.toolset = toToolset([...this.tools, ...addedTools(this.middlewares)])
    const ofMiddlewares = this.middlewares.map((one) => one.observe?.bind(one))
    this.observers = [options.observe, stepObserver(options.onStep), ...ofMiddlewares]
    this.artifacts = options.artifacts ?? memoryArtifacts()
    checkOptions(options, this.toolset)
    this.limits = toLimits({ steps: 20 }, options.limits)
    this.agents = this.agentsWith(this.toolset)
    this.brought = broughtBy(toolsWithin(this.agents))
    this.middlewares = withBrought(this.middlewares, this.brought)
    checkTools(this)
    this.hooks = new Hooks(this.middlewares)
  }

  get outputSchema(): OutputSchema | undefined {
    return outputOf(this.middlewares)?.outputSchema
  }

  get hasOutput(): boolean {
    return this.outputSchema !== undefined
  }

  /** Returns all agents that a run with these tools can reach, by name. */
  agentsWith(toolset: Toolset): ReadonlyMap<string, Agent> {
    const isOfCore = (entry: readonly [string, RunnerWithTools]): entry is [string, Agent] =>
      entry[1] instanceof Agent
    return new Map([...agentsOf(this, toolset)].filter(isOfCore))
  }

  start(input: string, { runId, limits }: Parameters<RunnerWithTools['start']>[1]): RunState {
    return createState(input, {
      agent: this.name,
      definitionHash: definitionHashOf(this, this.toolset),
      runId,
      limits: toLimits(this.limits, tighter(this.limits, limits)),
    })
  }

  /** Continues from a state until the run ends or needs a decision. `toolset` contains the run's tools. */
  async runFrom(
    state: RunState,
    toolset: Toolset,
    run: SharedParts,
    prepare?: () => Promise<void>,
  ): Promise<RunContext> {
    const context = new RunContext(state, firstUserMessage(state), toRunParts(this, toolset, run))
    await runToEnd(context, prepare)
    return context
  }

  async proceed(given: RunState, binding: HostContext): Promise<RunState> {
    const { agents, toolset, limits, observers, options } = this
    const { emit, silent, allowChangedTools, prices, hostWithin = memoryHost } = binding
    // A new run does not need the feature that reads states.
    const state = this.features.some((one) => one.readState)
      ? readState(this, given, {
          toolset,
          agents,
          // Raising the parent run's limits does not raise this agent's own limits.
          limits: toLimits(limits, tighter(limits, given.limits)),
          // The parent run's decisions may be about calls of this run.
          options: { decisions: given.decisions, allowChangedTools },
        })
      : given
    const own = toEmit(given.runId, silent ? [] : observers)
    // The agent's own observers get a copy, because each function stamps the event with its own run id and number.
    const both =
      own &&
      ((event: EventBody) => {
        own(withFields(event, {}))
        emit?.(event)
      })
    const inner = {
      ...binding,
      agents,
      emit: both ?? emit,
      prices: options.price ?? prices,
      inherited: [...(binding.inherited ?? []), ...reaching(this.middlewares)],
    }
    const run = { ...inner, host: hostWithin(inner), options: { policy: binding.policy } }
    try {
      await this.runFrom(state, toolset, run)
      return state
    } catch (error) {
      // The parent run treats this as a failed call.
      state.flags.failure = withoutCredentials(messageOf(error))
      return withHidden(state, 'error', error)
    }
  }
}

/** Returns the middlewares that also apply to child runs. */
export function reaching(list: readonly Middleware[]): readonly Middleware[] {
  return list.filter(({ childRuns }) => childRuns)
}

/** Returns the middleware that defines the schema of a run's output. */
function outputOf(list: readonly Middleware[]): Middleware | undefined {
  return list.find(({ outputSchema }) => outputSchema)
}

/** Returns the middlewares that these tools add to a run. */
function broughtBy(tools: readonly AnyTool[]): readonly Middleware[] {
  return tools.flatMap(({ middleware }) => middleware ?? [])
}

function withBrought(own: readonly Middleware[], brought: readonly Middleware[]): readonly Middleware[] {
  return brought.every((one) => own.includes(one)) ? own : [...new Set([...brought, ...own])]
}

/** @throws CapstanError `invalid_tool` if a tool has a reserved name, or a setting whose feature is missing */
function checkTools({ tools, middlewares, features, known }: Agent): void {
  const taken = outputOf(middlewares)?.toolNames ?? []
  const users: readonly Feature[] = [...features, ...middlewares]
  const used = new Set<string>(users.flatMap(({ toolSettings = [] }) => toolSettings))
  for (const { name, settings } of tools) {
    if (taken.includes(name)) throw outputNameTaken(name)
    for (const [setting, feature] of Object.entries(known.needs.toolSettings)) {
      const value: unknown = getOwn(settings, setting)
      // `effects: 'read'` works without the feature.
      if (!value || value === 'read' || used.has(setting)) continue
      const message = `Tool "${name}" sets ${setting}. Add ${feature} to middleware`
      throw invalidTool(name, message)
    }
  }
}

function outputNameTaken(name: string): CapstanError {
  return invalidTool(name, `Tool name "${name}" is reserved for agents with output. Rename the tool`)
}

/**
 * @throws CapstanError `invalid_request` if a middleware has the name of one that an option has added, or if `without`
 * names a middleware that is not on by default
 */
function checkReplacements(own: readonly Middleware[], given: GivenOptions, made: Agent['made']): void {
  const names = [...made.values()].flatMap((one) => one?.name ?? [])
  const wrong = (message: string) => invalidOption('middleware', message)
  for (const one of own) {
    const { name } = one
    const feature = [...made.keys()].find((known) => known.name === name)
    const option = Object.keys(feature?.agentOptions ?? {}).find((known) => given[known] !== undefined)
    if (option) throw wrong(`The option ${option} already adds "${name}". Remove or rename one.`)
    if (replacements.has(one) && !names.includes(name))
      throw wrong(`"${name}" is not on by default. Use one of: ${names.join(', ')}.`)
  }
}

/**
 * Returns an agent's middlewares in a run, outermost first: from outer features, from the agent's option `middleware`,
 * then from inner features. A middleware that you pass replaces a feature's middleware with the same name. Middlewares
 * that apply to the entire run come from the run's first agent.
 */
function middlewaresOf(agent: Agent, first: Agent): readonly Middleware[] {
  const { middleware: given = [] } = agent.options
  const staying = agent === first ? [] : (first.options.middleware ?? []).filter(({ wholeRun }) => wholeRun)
  const own = [...staying, ...given.filter(({ name }) => staying.every((one) => one.name !== name))]
  const features = agent === first ? agent.features : [...new Set([...first.features, ...agent.features])]
  const madeOf = (isInner: boolean) =>
    features
      .filter((one) => (one.isInner ?? false) === isInner)
      .flatMap((one) => (one.wholeRun ? first : agent).made.get(one) ?? [])
  const inner = madeOf(true).filter(({ name }) => own.every((one) => one.name !== name))
  return lastOfEach([...madeOf(false), ...own, ...inner], 'name')
}

/** The parts that all agents of a run share, and the run options that override the agents' own. */
interface SharedParts extends HostContext {
  readonly agents: ReadonlyMap<string, Agent>
  readonly host: RunHost
  /** The run's options by name. In a child run, only `policy`. */
  readonly options: GivenOptions
  /** The name of the run's first agent, whose tool choice the run's options override. */
  readonly beginsAs?: string
  /** Middlewares from the caller: the innermost middlewares of every agent. */
  readonly innermost?: readonly Middleware[]
}

/** `toolset` contains the first agent's tools and the tools passed to this run. */
function toRunParts(first: Agent, toolset: Toolset, run: SharedParts): ContextParts {
  const known = new Map<string, AgentSettings>()
  const isOwn = toolset === first.toolset
  // The tools passed to this run are not in the agent's own toolset.
  const agents = isOwn
    ? run.agents
    : new Map(run.agents).set(first.name, Object.create(first, { toolset: { value: toolset } }))
  const brought = isOwn ? first.brought : broughtBy(toolsWithin(agents))
  let trustOf: ContextParts['trustOf'] | undefined
  return {
    ...run,
    agents,
    hasOutput: first.hasOutput,
    toolset: first.toolset,
    runCall: runAnsweredCall,
    trustOf(tool) {
      trustOf ??= trustIn(agents)
      return trustOf(tool)
    },
    settingsOf(name) {
      const agent = agents.get(name)
      if (!agent) {
        const message = `This run has no agent "${name}". Its agents: ${[...agents.keys()].join(', ')}.`
        throw new CapstanError('invalid_state', message, { evidence: { name } })
      }
      const settings = known.get(name) ?? toAgentSettings(agent, { first, run, brought })
      known.set(name, settings)
      return settings
    },
  }
}

function toAgentSettings(
  agent: Agent,
  {
    first,
    run,
    brought,
  }: { readonly first: Agent; readonly run: SharedParts; readonly brought: readonly Middleware[] },
): AgentSettings {
  const { name, options, model, middlewares, features, toolset } = agent
  const modelOf = (own: ChatModel) => run.modelOf?.(own, name) ?? own
  const given: CommonOptions & ContextOptions<unknown> = run.options
  const isFirst = name === first.name
  const own = isFirst ? middlewares : middlewaresOf(agent, first)
  const list: readonly Feature[] = [
    ...new Set([
      ...withBrought(own, brought),
      ...features.flatMap((one) => one.forRun?.(run.options) ?? []),
      ...((run.inherited ?? []) as readonly Middleware[]),
      ...(run.innermost ?? []),
    ]),
  ]
  const { createScheduler = createCallScheduler } = list.find((one) => one.createScheduler) ?? {}
  // Middlewares that stay active after a handoff keep their tools.
  const missing = addedTools(list).filter((one) => !toolset.get(one.name))
  const tools = missing.length > 0 ? toToolset([...toolset.tools, ...missing]) : toolset
  // A tool passed to the run, or a tool of an agent that takes over, may already have one of these names.
  for (const one of outputOf(first.middlewares)?.toolNames ?? [])
    if (tools.get(one) && !tools.get(one)?.endsRun) throw outputNameTaken(one)
  return {
    model: modelOf(model),
    modelOf,
    instructions: (isFirst ? given.instructions : undefined) ?? options.instructions,
    toolset: tools,
    tools: options.tools ?? [],
    toolChoice: (run.beginsAs === name ? given.toolChoice : undefined) ?? options.toolChoice ?? 'auto',
    fields: { ...toFields(options.settings), ...toFields(given.settings) },
    scheduler: createScheduler(options.concurrency ?? 8),
    prices: options.price ?? run.prices,
    stepTimeoutMs: options.stepTimeoutMs,
    toolErrors: { shown: options.toolErrors ?? 'all', onToolError: options.onToolError },
    repair: options.repair,
    hooks: isFirst && list.length === middlewares.length ? first.hooks : new Hooks(list),
  }
}

/** Returns the tools that middlewares add to every run, except tools that are computed for each run. */
function addedTools(list: readonly Middleware[]): readonly AnyTool[] {
  return list.flatMap(({ tools = [] }) => (isFunction(tools) ? [] : tools))
}

/**
 * Returns a function that adds the run id and a sequence number to each event, then passes the event to all observers.
 * Returns undefined if there are no observers, so that no events are created.
 */
export function toEmit(runId: string, observers: readonly (Observer | undefined)[]): Emit {
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
