import { toSlots } from '../answer/with-slots.js'
import { chatModel } from '../ask/chat-model.js'
import type { ChatModel } from '../ask/model.js'
import { begin, isState, type RunInput } from '../run/begin.js'
import { checkSettings } from '../run/check-settings.js'
import { drive } from '../run/drive.js'
import { memoryHost } from '../run/memory-host.js'
import type { Instructions, PrepareStep, RunPlan, ToolChoice } from '../run/walk.js'
import { memoryArtifacts } from '../tool/memory-artifacts.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import type { AnyTool, ContextOf } from '../tool/types.js'
import type { ArtifactStore } from '../words/artifact.js'
import { CapstanError } from '../words/error.js'
import type { Emit, EventBody, RunEvent, Stamp } from '../words/event.js'
import type { BindHost } from '../words/host.js'
import { joinSignals } from '../words/join-signals.js'
import { guarded } from '../words/listener.js'
import type { Limits } from '../words/state.js'
import { type ArtifactLibrary, artifactLibrary } from './artifact-library.js'
import { type Attachment, attach } from './attach.js'
import { type AnyRunResult, type RunResult, toResult } from './result.js'
import { Run, type StreamOptions } from './run.js'

/** Takes every event of a run, at once. What it throws becomes a process warning and does not disturb the run. */
export type Observer = (event: RunEvent) => void

export interface AgentOptions<Tools extends readonly AnyTool[]> {
  /** Default `agent`. Shown in events, kept in states. */
  readonly name?: string
  /** A model's name, for the service that the environment names, or a model. */
  readonly model: string | ChatModel
  /** The system message. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /** Default `auto`. A forced tool is forced once, then the model is free: else it would never end. */
  readonly toolChoice?: ToolChoice
  readonly limits?: Partial<Limits>
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /** Calls that run at one time in a run. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /** Where artifacts live. Default: in memory, as long as the agent. */
  readonly artifacts?: ArtifactStore
  /** Further fields of every request, such as `temperature`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Options of a run; `context` must be given when a tool asks for one. */
export type RunOptions<Context = unknown> = CommonRunOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

interface CommonRunOptions {
  readonly signal?: AbortSignal
  /** Further tools, for this run alone. */
  readonly tools?: readonly AnyTool[]
  /** Things of the user's: they become artifacts, and references at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  readonly limits?: Partial<Limits>
  readonly observe?: Observer
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: random. */
  readonly runId?: string
  /** Who runs the steps. Default: this process, in memory. */
  readonly host?: BindHost
}

type OptionsArgument<Context, Further = unknown> = unknown extends Context
  ? [options?: RunOptions<Context> & Further]
  : [options: RunOptions<Context> & Further]

/** An agent as other packages take it, whatever its tools. */
export interface AnyAgent {
  readonly name: string
  readonly artifacts: ArtifactLibrary
  run(input: RunInput, options: RunOptions<never>): Promise<AnyRunResult>
  stream(input: RunInput, options: RunOptions<never> & StreamOptions): Run<AnyRunResult>
}

/**
 * A model with tools and instructions. It holds no conversation: every run is on its own.
 * @throws CapstanError `invalid_tool` for two tools of one name, `invalid_request` for settings that are not its user's
 */
export class Agent<const Tools extends readonly AnyTool[] = []> {
  readonly name: string
  /** What its runs made and were given. */
  readonly artifacts: ArtifactLibrary
  readonly #options: AgentOptions<Tools>
  readonly #model: ChatModel
  readonly #toolset: Toolset

  constructor(options: AgentOptions<Tools>) {
    this.name = options.name ?? 'agent'
    this.#options = options
    this.#model = typeof options.model === 'string' ? chatModel(options.model) : options.model
    this.#toolset = toToolset(options.tools ?? [])
    this.artifacts = artifactLibrary(options.artifacts ?? memoryArtifacts())
    checkSettings(options.settings)
    checkToolChoice(options.toolChoice ?? 'auto', this.#toolset)
  }

  /** Runs to the end. @throws CapstanError when the model cannot be asked; what the run had is on it as `state` */
  async run(input: RunInput, ...[options]: OptionsArgument<ContextOf<Tools>>): Promise<RunResult<Tools>> {
    return this.#start(input, options ?? {}, { stream: false })
  }

  /** The same run, with its events as they come and the model's words piece by piece. */
  stream(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools>, StreamOptions>
  ): Run<RunResult<Tools>> {
    const start = (listen: Observer, signal: AbortSignal) =>
      this.#start(input, options ?? {}, { stream: true, listen, signal })
    return new Run(start, options)
  }

  async #start(input: RunInput, options: StartOptions, mode: Mode): Promise<RunResult<Tools>> {
    checkSettings(options.settings)
    const { tools = [], attachments = [] } = options
    const toolset = tools.length === 0 ? this.#toolset : toToolset([...this.#toolset.tools, ...tools])
    const limits = { ...defaultLimits, ...this.#options.limits, ...options.limits }
    const runId = options.runId ?? (isState(input) ? input.runId : crypto.randomUUID())
    const walk = begin(input, { agent: this.name, definitionHash: toolset.hash, runId, limits })
    await attach(walk.state.messages, attachments, this.artifacts.store)
    const { signal, release } = joinSignals([options.signal, mode.signal])
    try {
      await drive(walk, this.#toPlan({ runId, toolset, signal }, options, mode))
    } finally {
      release()
    }
    return toResult<Tools>(walk, new Set(this.#toolset.names))
  }

  #toPlan({ runId, toolset, signal }: RunParts, options: StartOptions, mode: Mode): RunPlan {
    const { instructions, toolChoice = 'auto', prepareStep, concurrency = 8 } = this.#options
    const emit = toEmit(runId, [mode.listen, options.observe, this.#options.observe])
    const { context, host = memoryHost } = options
    return {
      agent: this.name,
      model: this.#model,
      instructions: instructions as Instructions<unknown> | undefined,
      toolset,
      toolChoice,
      settings: { ...this.#options.settings, ...options.settings },
      prepareStep: prepareStep as PrepareStep<unknown> | undefined,
      context,
      artifacts: this.artifacts.store,
      slots: toSlots(concurrency),
      stream: mode.stream,
      signal,
      host: host({ runId, agents: new Map(), context, signal, emit }),
      emit,
    }
  }
}

type StartOptions = CommonRunOptions & { readonly context?: unknown }

/** What `run` and `stream` differ in. */
interface Mode {
  readonly stream: boolean
  readonly listen?: Observer
  readonly signal?: AbortSignal
}

interface RunParts {
  readonly runId: string
  readonly toolset: Toolset
  readonly signal: AbortSignal
}

const defaultLimits: Limits = { steps: 20 }

function toEmit(runId: string, observers: readonly (Observer | undefined)[]): Emit {
  const listeners = observers.filter((one) => one !== undefined).map(guarded)
  if (listeners.length === 0) return undefined
  let seq = 0
  return (event) => {
    const stamped: RunEvent = Object.assign<EventBody, Stamp>(event, { runId, seq: seq++ })
    for (const listener of listeners) listener(stamped)
  }
}

function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name = typeof choice === 'string' ? choice : choice.function.name
  if (['auto', 'none', 'required', ...names].includes(name)) return
  const message = `toolChoice names "${name}", which is no tool of this agent. Its tools are: ${names.join(', ')}.`
  throw new CapstanError('unknown_tool', message, { evidence: { name } })
}
