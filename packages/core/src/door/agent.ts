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
import { CapstanError } from '../words/error.js'
import { joinSignals } from '../words/join-signals.js'
import type { Limits } from '../words/state.js'
import type {
  AgentOptions,
  CommonRunOptions,
  Observer,
  OptionsArgument,
  RunOptions,
} from './agent-options.js'
import { type ArtifactLibrary, artifactLibrary } from './artifact-library.js'
import { attach } from './attach.js'
import { type AnyRunResult, type RunResult, toResult } from './result.js'
import { Run, type StreamOptions } from './run.js'
import { toEmit } from './to-emit.js'

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
    const { instructions, toolChoice = 'auto', prepareStep, concurrency = 8, repair } = this.#options
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
      repair: repair === 'safe',
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

function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name = typeof choice === 'string' ? choice : choice.function.name
  if (['auto', 'none', 'required', ...names].includes(name)) return
  const message = `toolChoice names "${name}", which is no tool of this agent. Its tools are: ${names.join(', ')}.`
  throw new CapstanError('unknown_tool', message, { evidence: { name } })
}
