import {
  type AgentOptions,
  checkAgentOptions,
  checkOptions,
  type Observer,
  stepObserver,
} from './agent-options.js'
import type { ArtifactStore } from './artifacts/artifact.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { CapstanError, messageOf } from './errors.js'
import { toLimits } from './limits.js'
import { longResults } from './middleware/long-results.js'
import { lostContext } from './middleware/lost-context.js'
import { messageMedia } from './middleware/message-media.js'
import { type PrepareStep, prepareStep } from './middleware/prepare-step.js'
import { outputToolName, type StructuredOutput, structuredOutput } from './middleware/structured-output.js'
import { stuckDetection } from './middleware/stuck-detection.js'
import { asksWhenTainted, recordsTaint, taintOfHistory, taintTracking } from './middleware/taint-tracking.js'
import { textCalls } from './middleware/text-calls.js'
import { chatModel } from './model/chat-model.js'
import { type ModelSettings, toFields } from './model/request-body.js'
import { memoryHost } from './run/memory-host.js'
import {
  checkMiddlewares,
  Hooks,
  type Instructions,
  type Middleware,
  replaceByName,
  type ToolChoice,
} from './run/middleware.js'
import { agentsOf, type ReachableAgent, toolsIdentityOf, trustIn } from './run/reachable-agents.js'
import type { RaiseChildren } from './run/resume.js'
import {
  type AgentSettings,
  currentStep,
  type QueuedMessages,
  RunContext,
  type RunParts,
} from './run/run-context.js'
import { runToEnd } from './run/run-to-end.js'
import type { ChildRuns } from './run/run-tools.js'
import { createState, firstUserMessage } from './run/start.js'
import { finalAnswer, stopWhen } from './run/stop.js'
import { toEmit } from './run.js'
import { withoutCredentials } from './secrets/secrets.js'
import { createCallScheduler } from './tools/concurrency.js'
import { type Policy, policies } from './tools/policies.js'
import { type AnyTool, type Toolset, toToolset } from './tools/tool.js'
import { type Emit, type RunEvent, withError, withFields } from './types/event.js'
import type { HostContext, RunHost } from './types/host.js'
import type { Message } from './types/message.js'
import type { ChatModel } from './types/model.js'
import type { Limits, RunState } from './types/state.js'

/** Finds untrusted text in the history of a run. Reports it when the agent asks because of it. */
export async function findTaint(
  run: RunContext,
  {
    last,
    taintedBy,
  }: { readonly last?: Message | undefined; readonly taintedBy?: string | false | undefined },
): Promise<string | undefined> {
  const { artifacts, trustOf, emit } = run.parts
  const messages = last ? [...run.state.messages.slice(0, -1), last] : run.state.messages
  const by = await taintOfHistory({ ...run.state, messages }, { artifacts, trustOf, taintedBy })
  const isReported = by !== undefined && !run.signal.aborted && asksWhenTainted(run.settings.hooks.list)
  if (isReported) emit?.({ type: 'run-tainted', step: currentStep(run.state), by })
  return by
}

/** How the child runs of a state get new limits: the tools of agents bring it along. */
export function raiseChildrenOf(
  toolset: Toolset,
  agents: ReadonlyMap<string, ReachableAgent>,
): RaiseChildren | undefined {
  // After a handoff the child runs are those of another agent.
  const toolsets = [toolset, ...Array.from(agents.values(), (agent) => agent.toolset)]
  const tools = toolsets.flatMap((one) => one.tools)
  const runs = tools.find(({ child }) => child)?.child?.runs as ChildRuns | undefined
  return runs?.raise
}

/** An agent without its types, as its own runs and its parents' runs use it. */
export class AgentCore implements InnerAgent {
  readonly name: string
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  /** The tools of the agent, and those that its middlewares add to every step. */
  readonly toolset: Toolset
  readonly output: StructuredOutput | undefined
  readonly middlewares: readonly Middleware[]
  readonly hooks: Hooks
  /** Its own observers. */
  readonly observers: readonly (Observer | undefined)[]
  readonly artifacts: ArtifactStore
  /** All agents that a run can reach, by name, this one included. */
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly brought: readonly Middleware[]
  /** The default limits of its runs. */
  readonly limits: Limits

  constructor(options: AgentOptions<readonly AnyTool[]>) {
    checkAgentOptions(options)
    this.name = options.name ?? 'agent'
    this.options = options
    this.model = typeof options.model === 'string' ? chatModel(options.model) : options.model
    this.output = options.output && structuredOutput(options.output)
    this.middlewares = middlewaresOf(options, this.output)
    this.toolset = toToolset([...ownTools(options.tools), ...addedTools(this.middlewares)])
    const ofMiddlewares = this.middlewares.flatMap((one) =>
      one.observe ? [(event: RunEvent) => one.observe?.(event)] : [],
    )
    this.observers = [options.observe, stepObserver(options.onStep), ...ofMiddlewares]
    this.artifacts = options.artifacts ?? memoryArtifacts()
    checkOptions(options, this.toolset)
    checkTools(options.tools ?? [], this)
    this.limits = toLimits({ steps: 20 }, options.limits)
    this.agents = agentsOf<InnerAgent>(this, this.toolset)
    this.brought = broughtBy([...this.agents.values()])
    this.middlewares = withBrought(this.middlewares, this.brought)
    this.hooks = new Hooks(this.middlewares)
  }

  start(input: string, { runId, limits }: { readonly runId: string; readonly limits: Limits }): RunState {
    return createState(input, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset),
      runId,
      limits: this.limits,
      further: tighter(this.limits, limits),
    })
  }

  async proceed(given: RunState, binding: HostContext): Promise<RunState> {
    const { agents } = this
    // Limits raised for the parent run do not raise the limits of this agent.
    const further = toLimits(this.limits, tighter(this.limits, given.limits))
    const { allowChangedTools, prices } = binding
    const state = createState(given, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset, agents),
      limits: {},
      further,
      allowChangedTools,
      // The decisions of the parent run.
      decisions: given.decisions,
      raiseChildren: raiseChildrenOf(this.toolset, agents),
    })
    const observers = binding.silent ? [] : this.observers
    const inner = {
      ...binding,
      agents,
      emit: both(binding.emit, toEmit(given.runId, observers)),
      prices: this.options.price ?? prices,
    }
    const parts = toRunParts(this, this.toolset, { ...inner, host: (inner.hostWithin ?? memoryHost)(inner) })
    try {
      const run = new RunContext(state, firstUserMessage(state), parts)
      return await runToEnd(run, async () => ({ taintedBy: await findTaint(run, {}) }))
    } catch (error) {
      // The parent run sees a failed call.
      state.flags.failed = withoutCredentials(messageOf(error))
      return withError(state, error)
    }
  }
}

/** Returns the tools of an agent that it runs itself. */
export function ownTools(tools: readonly AnyTool[] = []): readonly AnyTool[] {
  return tools.filter((tool) => !tool?.hosted)
}

/** Returns the middlewares that tools bring along: those of agents, and others. */
function broughtBy(agents: readonly InnerAgent[], others: readonly AnyTool[] = []): readonly Middleware[] {
  const tools = agents.flatMap(({ options }) => options.tools ?? [])
  return [...tools, ...others].flatMap(({ middleware }) => (middleware ? [middleware as Middleware] : []))
}

function withBrought(own: readonly Middleware[], brought: readonly Middleware[]): readonly Middleware[] {
  return brought.every((one) => own.includes(one)) ? own : [...new Set([...brought, ...own])]
}

/** @throws CapstanError `invalid_tool` for a tool that the middlewares of its agent contradict */
function checkTools(tools: readonly AnyTool[], { output, middlewares }: InnerAgent): void {
  const has = (middleware: string) => middlewares.some(({ name }) => name === middleware)
  const needs = (option: string, name: string, add: string) => {
    const message = `Tool "${name}" has ${option}: true, which its agent does not know. Add ${add}() to middleware.`
    return new CapstanError('invalid_tool', message, { evidence: { name } })
  }
  for (const { name, settings } of tools) {
    const isTaken = output !== undefined && name === outputToolName
    if (isTaken) throw outputNameTaken()
    if (settings.show && !has('show-images')) throw needs('show', name, 'showImages')
    if (settings.background && !has('background-calls')) throw needs('background', name, 'backgroundCalls')
  }
}

function outputNameTaken(): CapstanError {
  const message = `Duplicate tool name "${outputToolName}". The agent has an output, which uses this name.`
  return new CapstanError('invalid_tool', message, { evidence: { name: outputToolName } })
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

/** Parent runs, and agents that take over, ask because of what this one has read. */
function noTaint(): CapstanError {
  const message =
    'taint-tracking cannot be left out: parent runs need it. Use taintTracking({ ask: false }) to run calls without asking.'
  return new CapstanError('invalid_request', message, { evidence: { option: 'middleware' } })
}

/**
 * Returns the middlewares of an agent, the first outermost: long results, taint tracking, text calls, `output`,
 * `policy`, `prepareStep`, stuck detection, `stopWhen`, its own `middleware`, lost context, the final answer, media.
 * One of its own replaces a default of the same name, in its place.
 * @throws CapstanError `invalid_request` for a middleware that is not valid, or two of one name
 */
export function middlewaresOf(
  options: AgentOptions<readonly AnyTool[]>,
  output: StructuredOutput | undefined,
): readonly Middleware[] {
  const own = checkMiddlewares(options.middleware ?? [])
  if (own.some((one) => one.name === 'taint-tracking' && !recordsTaint(one))) throw noTaint()
  const judged = [options.policy ?? []].flat() as readonly Policy[]
  const list = [
    longResults(),
    taintTracking(),
    textCalls(),
    ...(output ? [output] : []),
    ...(judged.length > 0 ? [policies(judged)] : []),
    ...(options.prepareStep ? [prepareStep(options.prepareStep as PrepareStep<unknown>)] : []),
    stuckDetection(),
    ...(options.stopWhen ? [stopWhen(options.stopWhen)] : []),
    ...own,
  ]
  const last = [lostContext(options.onContextLost), finalAnswer(), messageMedia()]
  return replaceByName([...list, ...last.filter((one) => own.every(({ name }) => name !== one.name))])
}

/** An agent without its types, as its own runs and its parents' runs use it. */
export interface InnerAgent extends ReachableAgent {
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly output: StructuredOutput | undefined
  readonly middlewares: readonly Middleware[]
  /** The hooks of its middlewares. */
  readonly hooks: Hooks
  /** The middlewares that tools of the agents of its runs bring along. */
  readonly brought: readonly Middleware[]
}

/** What the agents of a run share, and what the run changes for one of them. */
interface RunOf extends HostContext {
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly host: RunHost
  readonly inbox?: QueuedMessages | undefined
  /** The tool choice of one agent of the run, in place of its own. */
  readonly toolChoice?: { readonly of: string; readonly choice: ToolChoice } | undefined
  /** Request fields of the run, merged over an agent's. */
  readonly settings?: ModelSettings | undefined
}

/** Returns what a run of an agent works with. `toolset` has the tools of this run as well. */
export function toRunParts(first: InnerAgent, toolset: Toolset, run: RunOf): RunParts {
  const { agents, context, signal, emit, host, artifacts, stream = false, inbox } = run
  const known = new Map<string, AgentSettings>()
  const brought = toolset === first.toolset ? first.brought : broughtBy([...agents.values()], toolset.tools)
  let trustOf: RunParts['trustOf'] | undefined
  return {
    agents,
    context,
    signal,
    emit,
    host,
    artifacts,
    stream,
    inbox,
    waits: run.decided !== undefined,
    unattended: run.unattended ?? false,
    hasOutput: first.output !== undefined,
    toolset: first.toolset,
    trustOf(tool) {
      trustOf ??= trustIn(agents, toolset)
      return trustOf(tool)
    },
    settingsOf(name) {
      const agent = name === first.name ? first : agents.get(name)
      if (!agent) throw unknownAgent(name, [...agents.keys()])
      const settings =
        known.get(name) ??
        toAgentSettings(agent, agent === first ? toolset : agent.toolset, { first, run, brought })
      known.set(name, settings)
      return settings
    },
  }
}

function toAgentSettings(
  { name, options, model, middlewares }: InnerAgent,
  toolset: Toolset,
  {
    first,
    run,
    brought,
  }: { readonly first: InnerAgent; readonly run: RunOf; readonly brought: readonly Middleware[] },
): AgentSettings {
  const modelOf = (given: ChatModel) => run.modelOf?.(given, name) ?? given
  const chosen = run.toolChoice?.of === name ? run.toolChoice.choice : undefined
  const own = name === first.name ? middlewares : middlewaresAfterHandoff(options, first)
  const list = withBrought(own, brought)
  const tools = withToolsOf(list, toolset)
  // Tools of the run, or of an agent that takes over.
  const taken = first.output && tools.get(outputToolName)
  if (taken && !taken.isFinalAnswer) throw outputNameTaken()
  return {
    model: modelOf(model),
    modelOf,
    // The types have checked the context.
    instructions: options.instructions as Instructions<unknown> | undefined,
    toolset: tools,
    toolChoice: chosen ?? options.toolChoice ?? 'auto',
    fields: { ...toFields(options.settings), ...toFields(run.settings) },
    scheduler: createCallScheduler(options.concurrency ?? 8),
    prices: options.price ?? run.prices,
    stepTimeoutMs: options.stepTimeoutMs,
    toolErrors: { shown: options.toolErrors ?? 'all', onToolError: options.onToolError },
    repair: options.repair,
    hooks: list === first.middlewares ? first.hooks : new Hooks(list),
  }
}

/** The output of a run is that of its first agent, whose middlewares for the whole run replace others of their name. */
function middlewaresAfterHandoff({ middleware = [], ...options }: InnerAgent['options'], first: InnerAgent) {
  const staying = (first.options.middleware ?? []).filter(({ wholeRun }) => wholeRun)
  const own = middleware.filter((one) => !staying.some(({ name }) => name === one.name))
  return middlewaresOf({ ...options, middleware: [...staying, ...own] }, first.output)
}

/** After a handoff the middlewares that stay keep their tools. */
function withToolsOf(list: readonly Middleware[], toolset: Toolset): Toolset {
  const missing = addedTools(list).filter(({ name }) => !toolset.get(name))
  return missing.length > 0 ? toToolset([...toolset.tools, ...missing]) : toolset
}

/** The tools that middlewares add to every run. */
function addedTools(list: readonly Middleware[]): readonly AnyTool[] {
  return list.flatMap(({ tools = [] }) => (typeof tools === 'function' ? [] : tools))
}

function unknownAgent(name: string, names: readonly string[]): CapstanError {
  const message = `The state belongs to the agent "${name}", which this run does not have. Agents: ${names.join(', ')}.`
  return new CapstanError('invalid_state', message, { evidence: { name } })
}
