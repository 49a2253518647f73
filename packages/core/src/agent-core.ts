import {
  type AgentOptions,
  checkAgentOptions,
  checkOptions,
  type Observer,
  stepObserver,
} from './agent-options.js'
import type { ArtifactStore } from './artifacts/artifact.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { CapstanError } from './errors.js'
import { longResults } from './features/long-results.js'
import { lostContext } from './features/lost-context/lost-context.js'
import { messageMedia } from './features/media/message-media.js'
import {
  outputToolName,
  type StructuredOutput,
  structuredOutput,
} from './features/output/structured-output.js'
import { type PrepareStep, prepareStep } from './features/prepare-step.js'
import { stuckDetection } from './features/stuck-detection.js'
import { recordsTaint, taintTracking } from './features/taint-tracking.js'
import { textCalls } from './features/text-calls/text-calls.js'
import { toLimits } from './limits.js'
import { chatModel } from './model/chat-model.js'
import { type ModelSettings, toFields } from './model/request-body.js'
import { checkMiddlewares, Hooks, replaceByName } from './run/hooks.js'
import type { Instructions, Middleware, ToolChoice } from './run/middleware.js'
import { agentsOf, type ReachableAgent, toolsOf, trustIn } from './run/reachable-agents.js'
import type { AgentSettings, RunParts } from './run/run-context.js'
import { type ChildRuns, runAnsweredCall } from './run/run-tools.js'
import type { CreateStateOptions } from './run/start.js'
import { finalAnswer, stopWhen } from './run/stop.js'
import { createCallScheduler } from './tools/concurrency.js'
import { type Policy, policies } from './tools/policies.js'
import { type AnyTool, type Toolset, toToolset } from './tools/tool.js'
import type { RunEvent } from './types/event.js'
import type { HostContext, RunHost } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { Limits, RunState } from './types/state.js'

/** How the child runs of a stored state get new limits, which the tools of agents bring along, and what middlewares change. */
export function resumeOptionsOf(
  toolset: Toolset,
  agents: ReadonlyMap<string, InnerAgent>,
): Pick<CreateStateOptions, 'raiseChildren' | 'onResume'> {
  // After a handoff the child runs are those of another agent.
  const { child } = toolsOf(agents, toolset).find((tool) => tool.child) ?? {}
  const runs = child?.runs as ChildRuns | undefined
  return {
    raiseChildren: runs?.raise,
    onResume: (state, before) => agents.get(state.agent)?.hooks.resume(state, before) ?? state,
  }
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
  readonly limits: Limits
  childCode?: ChildCode

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

  start(input: string, run: ChildStart): RunState {
    return childCodeOf(this).start(this, input, run)
  }

  async proceed(state: RunState, binding: HostContext): Promise<RunState> {
    return childCodeOf(this).proceed(this, state, binding)
  }
}

/** Returns how an agent runs behind a tool. @throws CapstanError `unsupported` for an agent that is behind none */
function childCodeOf({ name, childCode }: InnerAgent): ChildCode {
  if (childCode) return childCode
  const message = `Agent "${name}" answers no calls of other agents. Pass it to agentTool(agent).`
  throw new CapstanError('unsupported', message, { evidence: { name } })
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
  for (const { name, settings } of tools) {
    if (output && name === outputToolName) throw outputNameTaken()
    for (const [option, middleware, add] of middlewaresOfSettings) {
      if (!settings[option] || has(middleware)) continue
      const message = `Tool "${name}" has ${option}: true, which its agent does not know. Add ${add}() to middleware.`
      throw new CapstanError('invalid_tool', message, { evidence: { name } })
    }
  }
}

/** Settings of tools that need a middleware. */
const middlewaresOfSettings = [
  ['show', 'show-images', 'showImages'],
  ['background', 'background-calls', 'backgroundCalls'],
] as const

function outputNameTaken(): CapstanError {
  const message = `Duplicate tool name "${outputToolName}". The agent has an output, which uses this name.`
  return new CapstanError('invalid_tool', message, { evidence: { name: outputToolName } })
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
  const list = [
    longResults(),
    taintTracking(),
    textCalls(),
    output ?? [],
    ofPolicy(options),
    options.prepareStep ? prepareStep(options.prepareStep as PrepareStep<unknown>) : [],
    stuckDetection(),
    options.stopWhen ? stopWhen(options.stopWhen) : [],
    ...own,
  ].flat()
  const last = [lostContext(options.onContextLost), finalAnswer(), messageMedia()]
  return replaceByName([...list, ...last.filter((one) => own.every(({ name }) => name !== one.name))])
}

/** The middleware of the option `policy` of an agent or a run, if it is given. */
function ofPolicy({ policy = [] }: { readonly policy?: unknown }): readonly Middleware[] {
  const judges = [policy].flat() as readonly Policy[]
  return judges.length > 0 ? [policies(judges)] : []
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
  /** The default limits of its runs. */
  readonly limits: Limits
  /** Its own observers. */
  readonly observers: readonly (Observer | undefined)[]
  /** All agents that a run can reach, by name, this one included. */
  readonly agents: ReadonlyMap<string, InnerAgent>
  /** How it runs behind a tool. The tool brings it along, so that other programs do not load it. */
  childCode?: ChildCode
}

/** A new child run: its id, and the limits that its parent gives. */
export interface ChildStart {
  readonly runId: string
  readonly limits: Limits
}

/** How agents run behind tools. */
export interface ChildCode {
  start(agent: InnerAgent, input: string, run: ChildStart): RunState
  proceed(agent: InnerAgent, state: RunState, binding: HostContext): Promise<RunState>
}

/** What the agents of a run share, and what the run changes for one of them. */
interface RunOf extends HostContext {
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly host: RunHost
  /** The options of the run, by name. Default: `policy` alone. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The innermost middleware of all agents, which the caller brings. */
  readonly innermost?: Middleware | undefined
  /** The tool choice of one agent of the run, in place of its own. */
  readonly toolChoice?: { readonly of: string; readonly choice: ToolChoice } | undefined
  /** The instructions of the first agent, in place of its own. */
  readonly instructions?: Instructions<unknown> | undefined
  /** Request fields of the run, merged over an agent's. */
  readonly settings?: ModelSettings | undefined
}

/** Returns what a run of an agent works with. `toolset` has the tools of this run as well. */
export function toRunParts(first: InnerAgent, toolset: Toolset, run: RunOf): RunParts {
  const { agents } = run
  const known = new Map<string, AgentSettings>()
  const brought = toolset === first.toolset ? first.brought : broughtBy([...agents.values()], toolset.tools)
  let trustOf: RunParts['trustOf'] | undefined
  return {
    ...run,
    stream: run.stream ?? false,
    waits: run.decided !== undefined,
    unattended: run.unattended ?? false,
    hasOutput: first.output !== undefined,
    toolset: first.toolset,
    options: run.options ?? { policy: run.policy },
    runCall: runAnsweredCall,
    trustOf(tool) {
      trustOf ??= trustIn(agents, toolset)
      return trustOf(tool)
    },
    settingsOf(name) {
      const agent = agents.get(name)
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
  const agentInstructions = name === first.name ? run.instructions : undefined
  const chosen = run.toolChoice?.of === name ? run.toolChoice.choice : undefined
  const own = name === first.name ? middlewares : middlewaresAfterHandoff(options, first)
  const lasting = withBrought(own, brought)
  const ofRun = ofPolicy(run)
  const { innermost = [] } = run
  const list = [...lasting, ...ofRun, innermost].flat()
  const tools = withToolsOf(list, toolset)
  // Tools of the run, or of an agent that takes over.
  const taken = first.output && tools.get(outputToolName)
  if (taken && !taken.endsRun) throw outputNameTaken()
  return {
    model: modelOf(model),
    modelOf,
    // The types have checked the context.
    instructions: (agentInstructions ?? options.instructions) as Instructions<unknown> | undefined,
    toolset: tools,
    tools: options.tools ?? [],
    toolChoice: chosen ?? options.toolChoice ?? 'auto',
    fields: { ...toFields(options.settings), ...toFields(run.settings) },
    scheduler: createCallScheduler(options.concurrency ?? 8),
    prices: options.price ?? run.prices,
    stepTimeoutMs: options.stepTimeoutMs,
    toolErrors: { shown: options.toolErrors ?? 'all', onToolError: options.onToolError },
    repair: options.repair,
    hooks:
      list.length === first.middlewares.length && own === first.middlewares ? first.hooks : new Hooks(list),
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
