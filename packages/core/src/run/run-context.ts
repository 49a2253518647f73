import type { ArtifactStore } from '../artifacts/artifact.js'
import { calling } from '../async.js'
import { type Json, startsWith } from '../json.js'
import { SpendLimiter } from '../limits.js'
import type { SlotScheduler } from '../tools/concurrency.js'
import type { ToolErrors } from '../tools/rejections.js'
import type { Repair } from '../tools/repair.js'
import { toToolset } from '../tools/tool.js'
import type { FeatureEvent, MiddlewareEvent } from '../types/event.js'
import type { HostContext, HostStepOptions, RunHost, StepContext, WaitOptions } from '../types/host.js'
import { callsOf, type Message, type SystemMessage } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import {
  type AnyStep,
  type CallRecord,
  type CallResult,
  currentStep,
  type Decisions,
  openCalls,
  type ReplyFacts,
  type RunState,
} from '../types/state.js'
import { type CountedRequest, copyOfUsage, type PriceTable, type Usage, type UsageSum } from '../usage.js'
import { Hooks } from './hooks.js'
import type {
  AnyTool,
  ChangesBy,
  Instructions,
  OpenCall,
  RunnerWithTools,
  RunView,
  Tool,
  ToolChoice,
  Toolset,
  ToolTrust,
} from './middleware.js'
import { type StepPart, stepKey } from './step-keys.js'
import { withinTime } from './time-limit.js'

/** The settings of one agent in a run, which a handoff replaces. */
export interface AgentSettings {
  readonly model: ChatModel
  /** Returns the model that the run uses instead of this one: the same model, unless the run overrides it. */
  modelOf(own: ChatModel): ChatModel
  readonly instructions: Instructions<unknown> | undefined
  readonly toolset: Toolset
  /** The tools given to the agent, including hosted tools. */
  readonly tools: readonly AnyTool[]
  readonly toolChoice: ToolChoice
  /** Additional fields of every request. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly scheduler: SlotScheduler
  readonly prices: PriceTable | undefined
  /** Timeout in milliseconds for one reply, including retries, and for one call. */
  readonly stepTimeoutMs: number | undefined
  readonly toolErrors: ToolErrors
  /** Repairs arguments that have only one possible reading. Undefined: nothing is repaired. */
  readonly repair: Repair | undefined
  readonly hooks: Hooks
}

/** Everything a run needs that is not stored. */
export interface ContextParts
  extends Pick<
    HostContext,
    'context' | 'artifacts' | 'emit' | 'signal' | 'stream' | 'unattended' | 'decided'
  > {
  readonly host: RunHost
  /** Whether the run has an output schema. If so, the run is done only with a matching value. */
  readonly hasOutput: boolean
  /** The first agent's tools, which determine the result's types. */
  readonly toolset: Toolset
  /** The options of the run, by name. */
  readonly options: RunView['options']
  /** Returns whether results of a tool with this name are trusted, considering all agents of the run. */
  trustOf(name: string): ToolTrust
  /** Runs the function of a call that already has a result. */
  runCall(run: RunContext, call: CallRecord, step: StepContext, agent?: string): Promise<CallResult>
  /** All agents that the run can reach, by name. */
  readonly agents: ReadonlyMap<string, RunnerWithTools>
  /** Returns the settings of an agent. @throws CapstanError `invalid_state` for an agent that the run does not have */
  settingsOf(agent: string): AgentSettings
}

/** The part of a streamed call that has arrived so far. */
export interface StreamedPart {
  /** Empty until the call is reported. */
  callId: string
  name: string
  /** The arguments so far. */
  text: string
}

/** A run in progress: its stored state, and the parts that are not stored. */
export class RunContext implements RunView {
  declare readonly state: RunState
  declare readonly parts: ContextParts
  declare readonly context: unknown
  declare readonly runId: string
  declare readonly messages: readonly Message[]
  declare readonly limits: RunState['limits']
  declare readonly kept: RunState['kept']
  declare readonly artifacts: ArtifactStore
  declare readonly agents: RunView['agents']
  declare readonly options: RunView['options']
  declare readonly trustOf: (tool: string) => ToolTrust
  declare readonly signal: AbortSignal
  /** The usage so far, as an object that is changed in place. */
  declare readonly sum: UsageSum
  /** Whether a limit needs token counts, which a server may not report. */
  declare readonly needsCounts: boolean
  /** The calls that have finished since this run started or was resumed. */
  readonly toolCalls: CallRecord[] = []
  /** The steps that have finished since this run started or was resumed. */
  readonly steps: PastStep[] = []
  /** The last reply: this run's own, or the reply whose calls a resumed run continues. */
  declare reply: {
    /** Before the first reply, the last message of the conversation. */
    readonly message: Message | undefined
    /** Absent for a reply that this run did not receive. */
    readonly facts: ReplyFacts | undefined
    readonly extra: RunState['extra']
  }
  /** Every call id in the history. */
  declare readonly callIds: Set<string>
  /** The state's `stepCount` when this run started or was resumed. */
  declare readonly firstStep: number
  /** The index of the user message that started the run; -1 if there is none. */
  declare readonly task: number
  /** When this run started, if time is limited, and the working time of the state's earlier runs in seconds. */
  declare readonly clock: { startedAt?: number; readonly before: number }
  /** The current agent's settings. */
  declare settings: AgentSettings
  /** The current step's tools: the agent's tools, and the tools that middlewares add. */
  declare toolset: Toolset
  /**
   * The text of a reply that is still being streamed. This is an array, because a string joined from thousands of
   * pieces would keep an object for each piece.
   */
  streamed: string[] = []
  /** The calls in the streamed reply, by their index. */
  readonly streamedCalls = new Map<number, StreamedPart>()
  /**
   * The type of a hosted tool in the last request. If the reply is cut off, its text may contain that tool's results.
   */
  declare hosted: string | undefined
  /** The requests of a step that failed. These requests count if the run ends with that step. */
  unanswered: readonly CountedRequest[] = []
  /** The errors of failed calls, by call id, until the end of each call is reported. Errors are not recorded. */
  readonly failures = new Map<string, unknown>()
  /** The tools that middlewares add to this step, by middleware name. */
  by: ChangesBy = {}
  /** Messages that arrived too late for the model. */
  undelivered: readonly string[] = []
  /** Whether the run has ended. If so, its state is no longer saved. */
  isOver = false
  /** The system message as last sent. */
  declare system: SystemMessage | undefined
  /** The name of the agent that `settings` belong to. */
  #agent: string
  #hasMedia = false
  /** The number of messages already checked for files. */
  #seen = 0
  /** The tools of the current agent, with the tools that middlewares last added. */
  #extended: Toolset | undefined

  constructor(state: RunState, task: number, parts: ContextParts) {
    const { messages, limits } = state
    this.state = state
    this.parts = parts
    this.context = parts.context
    this.runId = state.runId
    this.messages = messages
    this.limits = limits
    this.kept = state.kept
    this.artifacts = parts.artifacts
    this.agents = parts.agents
    this.options = parts.options
    this.trustOf = parts.trustOf
    this.signal = parts.signal
    this.sum = copyOfUsage(state.usage)
    state.usage = this.sum
    this.needsCounts = limits.tokens !== undefined || limits.cost !== undefined
    this.callIds = new Set(messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
    this.firstStep = state.stepCount
    this.task = task
    this.clock = { before: state.usage.seconds ?? 0 }
    this.settings = parts.settingsOf(state.agent)
    this.#agent = state.agent
    this.toolset = this.settings.toolset
    this.reply = { message: messages.at(-1), facts: state.reply, extra: state.extra }
  }

  get agent(): string {
    return this.state.agent
  }

  /** The current step's number, from 0. */
  get step(): number {
    return openCalls(this.state).length > 0 ? currentStep(this.state) : this.state.stepCount
  }

  get usage(): Usage {
    return copyOfUsage(this.sum)
  }

  get hasMedia(): boolean {
    const { messages } = this
    while (!this.#hasMedia && this.#seen < messages.length)
      this.#hasMedia = messages[this.#seen++]?.media !== undefined
    return this.#hasMedia
  }

  get isFinalAsked(): boolean {
    return this.state.flags.finalAsked === true
  }

  get approved(): readonly string[] {
    return this.state.approved ?? []
  }

  get taintedBy(): string | undefined {
    return this.state.taintedBy
  }

  /** Applies the current agent's settings, and adds the tools that middlewares provide for this step. */
  startStep(): void {
    const { agent } = this.state
    if (this.#agent !== agent) {
      this.settings = this.parts.settingsOf(agent)
      this.#agent = agent
      this.#extended = undefined
    }
    const { hooks, toolset } = this.settings
    this.toolset = toolset
    const added: Tool[] = []
    this.by = {}
    for (const { name, tools } of hooks.tools) {
      const own = tools(this)
      if (own[0]) this.by = { ...this.by, [name]: { tools: own } }
      for (const tool of own) if (!toolset.get(tool.name)) added.push(tool)
    }
    if (added.length > 0) this.toolset = this.#withTools(toolset, added)
  }

  #withTools(base: Toolset, added: readonly Tool[]): Toolset {
    const tools = [...base.tools, ...added]
    const last = this.#extended
    if (last && tools.length === last.tools.length && startsWith(tools, last.tools)) return last
    const brought = added.flatMap(({ middleware }) => middleware ?? [])
    if (brought.length > 0) {
      const hooks = new Hooks([...new Set([...brought, ...this.settings.hooks.list])])
      this.settings = { ...this.settings, hooks }
    }
    this.#extended = toToolset(tools)
    return this.#extended
  }

  get openCalls(): readonly OpenCall[] {
    const { results, pending, children } = this.state
    const waiting = new Map(pending.map((one) => [one.callId, one]))
    const open: OpenCall[] = []
    for (const [index, call] of openCalls(this.state).entries())
      open.push({
        index,
        call,
        result: results[index],
        pending: waiting.get(call.id),
        child: children?.[index],
      })
    return open
  }

  get model(): ChatModel {
    return this.settings.model
  }

  get prices(): PriceTable | undefined {
    return this.settings.prices
  }

  get isRecorded(): boolean {
    return this.parts.host.retries === 'host'
  }

  get tools(): RunView['tools'] {
    return this.settings.tools
  }

  emit(event: MiddlewareEvent | FeatureEvent): void {
    this.parts.emit?.({ type: 'middleware', step: this.step, ...event })
  }

  async keep(middleware: string, own: Json): Promise<void> {
    keepIn(this.state, middleware, own)
    if (!this.isOver) await this.parts.host.checkpoint?.()
  }

  runStep<T>(
    part: StepPart,
    work: (step: StepContext) => Promise<T>,
    { step = this.step, ...options }: HostStepOptions,
  ): Promise<T> {
    const run = (given: StepContext) => withinTime(this, given, work)
    // The failure of a step must not be reported as an error of the hook that is waiting for it.
    return calling('The run', () => this.parts.host.step({ key: stepKey(step, part), options, run }))
  }

  get toolErrors(): RunView['toolErrors'] {
    return this.settings.toolErrors.shown
  }

  limiter(): SpendLimiter {
    return new SpendLimiter(this.state, this.settings.prices)
  }

  get decisions(): Decisions {
    return this.state.decisions ?? {}
  }

  waitFor<T>(part: StepPart, options?: WaitOptions): Promise<T | undefined> {
    return calling('The run', () => this.parts.host.waitFor<T>(stepKey(this.step, part), options))
  }

  callKey(index: number, kind: 'call' | 'child' = 'call'): string {
    const { begunBy = this.runId } = this.state
    return `${begunBy}/${stepKey(currentStep(this.state), `${kind}${index}`)}`
  }

  runCall(call: CallRecord, step: StepContext, agent?: string): Promise<CallResult> {
    return this.parts.runCall(this, call, step, agent)
  }
}

/** A step that has ended. The step's result is created when it is read, usually at the end of the run. */
export interface PastStep extends Pick<RunContext, 'reply' | 'settings'> {
  readonly toolset: Toolset
  readonly step: number
  results: readonly CallRecord[]
  made?: AnyStep | undefined
}

/** Stores a middleware's state; `null` removes it. */
export function keepIn({ kept }: RunState, middleware: string, own: Json): void {
  if (own === null) delete kept[middleware]
  else kept[middleware] = own
}
