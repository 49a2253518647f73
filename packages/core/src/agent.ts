import type { StandardSchemaV1 } from '@standard-schema/spec'
import { AgentCore, type InnerAgent, ownTools, resumeOptionsOf, toRunParts } from './agent-core.js'
import {
  type AgentOptions,
  type CommonRunOptions,
  type ContextOptions,
  checkCost,
  checkRunOptions,
  checkToolChoice,
  type OptionsArgument,
  type PrepareOptions,
  type RunOptions,
  type StreamOptions,
  stepObserver,
  type ToolsOf,
} from './agent-options.js'
import type { ArtifactStore } from './artifacts/artifact.js'
import { joinSignals } from './async.js'
import { CapstanError, withState } from './errors.js'
import { readersOf } from './features/long-results.js'
import { attach, storeFilesIn } from './features/media/attachments.js'
import { checkDecision, checkDecisions } from './features/resume/decisions.js'
import { inSession } from './features/sessions.js'
import { Run, type RunStart, toEmit } from './features/streaming.js'
import type { Jsonified } from './json.js'
import { checkModel } from './model/chat-model.js'
import { checkSettings } from './model/request-body.js'
import { kindOf } from './option-names.js'
import { type AnyRunResult, type RunResult, type StepResult, toResult } from './result.js'
import { memoryHost, type OnCheckpoint, toCheckpoint, withCheckpoints } from './run/memory-host.js'
import type { Middleware } from './run/middleware.js'
import { agentsOf, definitionHashOf, reachesUntrusted } from './run/reachable-agents.js'
import { RunContext } from './run/run-context.js'
import { runToEnd } from './run/run-to-end.js'
import { createState, firstUserMessage, isState, type RunInput } from './run/start.js'
import { type AnyTool, type ContextOf, type Toolset, toToolset } from './tools/tool.js'
import type { ChildRunner, ModelOverride } from './types/host.js'
import type { Message } from './types/message.js'
import type { ChatModel } from './types/model.js'
import type { Decision, PendingCall, RunState } from './types/state.js'

/**
 * An agent with any tools, as other packages accept it, or a wrapper of one. Whether its tools require a `context` is
 * unknown to this type, so that a run without it compiles.
 */
export interface AnyAgent {
  readonly name: string
  readonly artifacts: ArtifactStore
  /** The tools in the order they were given. */
  readonly tools: readonly AnyTool[]
  readonly agents: ReadonlyMap<string, ChildRunner>
  prepare(input: RunInput, options?: PrepareOptions): Promise<RunState>
  run(input: RunInput, options?: RunOptions): Promise<AnyRunResult>
  stream(input: RunInput, options?: RunOptions & StreamOptions): Run<AnyRunResult>
}

/** The type of `result.output`: the schema's output as JSON keeps it. */
type OutputOf<Schema> = Schema extends StandardSchemaV1
  ? Jsonified<StandardSchemaV1.InferOutput<Schema>>
  : undefined

/** The context that all middlewares together ask for. */
type ContextOfMiddleware<Added extends readonly Middleware[]> = Added extends readonly [
  Middleware<infer Context>,
  ...infer Others extends readonly Middleware[],
]
  ? Context & ContextOfMiddleware<Others>
  : unknown

/** The options of a run, with the type of its context erased. */
type StartOptions = CommonRunOptions &
  ContextOptions<unknown> & { readonly context?: unknown; onStep?(step: StepResult): unknown }

/** Where the files of an input go, and what comes with it. */
interface InputFiles {
  readonly artifacts: ArtifactStore
  readonly attachments?: CommonRunOptions['attachments']
  /** The number of messages of its session. Default 0. */
  readonly known?: number
}

/** How a run begins. */
interface Beginning {
  /** The number of messages of its session. */
  readonly known: number
  readonly start: RunStart | undefined
}

/** The agents that a run can reach. */
interface Inside {
  readonly toolset: Toolset
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly modelOf: ModelOverride | undefined
}

/** Returns the internals of an agent. @throws CapstanError `invalid_request` for a value that `new Agent(...)` did not make */
export let coreOf: (agent: AnyAgent) => InnerAgent

/** Whether a stored `definitionHash` is that of an agent's tools, in any order. */
export async function hasToolsOf(agent: AnyAgent, definitionHash: string): Promise<boolean> {
  // A wrapper of the application tells it through a run that it would start.
  if (!(agent instanceof Agent)) return (await agent.prepare('.')).definitionHash === definitionHash
  const core = coreOf(agent)
  return definitionHash === definitionHashOf(core, core.toolset)
}

/** Whether runs of an agent may read text of an untrusted tool, of its own or of an agent that they reach. */
export function hasUntrustedTool(agent: AnyAgent): boolean {
  if (!(agent instanceof Agent)) return true
  const core = coreOf(agent)
  return (
    reachesUntrusted(core) || [...agentsOf<InnerAgent>(core, core.toolset).values()].some(addsUnknownTools)
  )
}

/** Whether a middleware of the application adds tools that are known only in a run. */
function addsUnknownTools({ options: { middleware = [] } }: InnerAgent): boolean {
  return middleware.some(({ tools }) => typeof tools === 'function' && tools !== readersOf)
}

/**
 * A model with tools and instructions. An agent keeps no conversation: runs do not share history. `Agent` alone, as a
 * type, is any agent: like `AnyAgent` it does not tell whether runs require a `context`.
 */
export interface Agent<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> extends AgentOf<Tools, Output, Added> {}

/** Makes agents. Their types follow from the options: one without tools has none. */
interface AgentConstructor {
  /** @throws CapstanError `invalid_tool` for two tools of one name, `invalid_request` for request fields that the agent writes */
  new <
    const Tools extends readonly AnyTool[] = [],
    Output extends StandardSchemaV1 | undefined = undefined,
    const Added extends readonly Middleware[] = [],
  >(
    options: AgentOptions<Tools, Output, Added>,
  ): Agent<Tools, Output, Added>
  readonly prototype: Agent
}

class AgentOf<
  Tools extends readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined,
  Added extends readonly Middleware[],
> {
  readonly name: string
  /** The artifacts that its runs made or received. */
  readonly artifacts: ArtifactStore
  /** The tools in the order they were given. */
  readonly tools: Tools
  /** All agents that a run can reach, by name, this one included. A host needs them to run child agents elsewhere. */
  readonly agents: ReadonlyMap<string, ChildRunner>
  readonly #core: AgentCore
  /** Shown where an agent is printed. */
  static readonly name = 'Agent'

  static {
    coreOf = (agent) => {
      const given = Object(agent)
      if (#core in given) return given.#core
      const message = `An agent is needed, not ${kindOf(agent)}. Make one with new Agent(...).`
      throw new CapstanError('invalid_request', message)
    }
  }

  constructor(options: AgentOptions<Tools, Output, Added>) {
    // The core has no types of tools: `onStep` gets the steps of these.
    this.#core = new AgentCore(options as unknown as AgentOptions<readonly AnyTool[]>)
    this.name = this.#core.name
    this.artifacts = this.#core.artifacts
    this.agents = this.#core.agents
    this.tools = Object.freeze(ownTools(options.tools)) as unknown as Tools
  }

  /**
   * Returns the state that a run would start from. Checks all options and stores attachments, but sends no request
   * and calls no tool. `agent.run(state)` runs it, here or in another process. Pass decisions to it again:
   * `{ decisions: state.decisions }`.
   * @throws CapstanError as a run does before its first step
   */
  async prepare(input: RunInput, options: PrepareOptions = {}): Promise<RunState> {
    checkRunOptions(options)
    const { toolset, agents } = this.#core
    const state = await this.#begin(input, options, { toolset, agents, modelOf: undefined })
    const { attachments, artifacts = this.artifacts } = options
    const last = await storeInput(state, input, { attachments, artifacts })
    if (last) state.messages.splice(-1, 1, last)
    return state
  }

  /** Runs to the end. @throws CapstanError when a request fails; `error.state` has what the run had so far */
  async run(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools> & ContextOfMiddleware<Added>, ToolsOf<Tools, Added>>
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    return this.#start(input, options ?? {})
  }

  /** Starts the same run and returns it at once, with its events and streamed text. */
  stream(
    input: RunInput,
    ...[options]: OptionsArgument<
      ContextOf<Tools> & ContextOfMiddleware<Added>,
      ToolsOf<Tools, Added>,
      StreamOptions
    >
  ): Run<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    const given: StartOptions & StreamOptions = options ?? {}
    const check = (call: PendingCall, decision: Decision) =>
      checkDecision(call, decision, this.#toolsBehind(call, given))
    return new Run((start) => this.#start(input, given, start), given, check, this.#core.output?.form)
  }

  #start(
    input: RunInput,
    options: StartOptions,
    start?: RunStart,
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    return inSession(options.session, input, (whole, known) => this.#drive(whole, options, { known, start }))
  }

  async #drive(
    input: RunInput,
    options: StartOptions,
    { known, start }: Beginning,
  ): Promise<RunResult<ToolsOf<Tools, Added>, OutputOf<Output>>> {
    checkRunOptions(options)
    const core = this.#core
    const toolset = this.#toolsOf(options)
    const agents = agentsOf<InnerAgent>(core, toolset)
    const modelOf = toModelOverride(options.model)
    const state = await this.#begin(input, options, { toolset, agents, modelOf })
    const { signal, release } = joinSignals([options.signal, start?.signal])
    const { onCheckpoint } = options.silent ? {} : core.options
    const save = toCheckpoint([onCheckpoint, options.onCheckpoint])
    const innermost = start?.middleware
    const decided = start?.decided
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
    const { settings, instructions, toolChoice: choice, attachments } = options
    const toolChoice = choice && { of: state.agent, choice }
    try {
      const host = withCheckpoints(options.host ?? memoryHost, state, save)(binding)
      const parts = toRunParts(core, toolset, {
        ...binding,
        host,
        innermost,
        settings,
        instructions,
        toolChoice,
        options: { ...options },
      })
      const run = new RunContext(state, firstUserMessage(state), parts)
      await runToEnd(run, async () => {
        const last = await storeInput(state, input, { attachments, artifacts: binding.artifacts, known })
        if (last) state.messages.splice(-1, 1, Object.freeze(last))
      })
      await keep(state, save)
      return toResult<ToolsOf<Tools, Added>, OutputOf<Output>>(run)
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
    const { name: agent, limits, options: own, model } = this.#core
    checkSettings(options.settings)
    const state = createState(input, {
      ...options,
      agent,
      definitionHash: definitionHashOf(this.#core, toolset, agents),
      limits,
      further: options.limits,
      ...resumeOptionsOf(toolset, agents),
    })
    const current = agents.get(state.agent)
    checkToolChoice(
      options.toolChoice ?? 'auto',
      current && current !== this.#core ? current.toolset : toolset,
    )
    await checkCost(state.limits, own.price, (modelOf?.(model, agent) ?? model).name)
    await checkDecisions(options.decisions ?? {}, state.pending, (call) => this.#toolsBehind(call, options))
    return state
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

export const Agent: AgentConstructor = AgentOf

/**
 * Stores the files in new messages of an input: a state, and the messages of a session, stay as they were stored. Returns
 * the last message with the attachments, if there are any.
 */
async function storeInput(
  { messages }: RunState,
  input: RunInput,
  { artifacts, attachments = [], known = 0 }: InputFiles,
): Promise<Message | undefined> {
  if (!isState(input)) {
    const stored = await storeFilesIn(messages, artifacts, known)
    if (stored !== messages) messages.splice(0, stored.length, ...stored)
  }
  return attach(messages.at(-1), attachments, artifacts)
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
