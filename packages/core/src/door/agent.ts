import { chatModel } from '../ask/chat-model.js'
import type { ChatModel } from '../ask/model.js'
import { begin, type RunInput } from '../run/begin.js'
import { checkSettings } from '../run/check-settings.js'
import { type OnCheckpoint, toCheckpoint } from '../run/checkpoints.js'
import { checkDecision, checkDecisions } from '../run/decisions.js'
import { drive } from '../run/drive.js'
import { toLimits } from '../run/to-limits.js'
import { memoryArtifacts } from '../tool/memory-artifacts.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import type { AnyTool, ContextOf } from '../tool/types.js'
import { withState } from '../words/error.js'
import { joinSignals } from '../words/join-signals.js'
import type { Decision, Limits, PendingCall, RunState } from '../words/state.js'
import type { AgentOptions, OptionsArgument, RunOptions } from './agent-options.js'
import { type ArtifactLibrary, artifactLibrary } from './artifact-library.js'
import { attach } from './attach.js'
import { checkCost, checkOptions } from './check-options.js'
import { type AnyRunResult, type RunResult, toResult } from './result.js'
import { Run, type RunStart, type StreamOptions } from './run.js'
import { type StartOptions, toPlan } from './to-plan.js'

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
    checkOptions(options as AgentOptions<readonly AnyTool[]>, this.#toolset)
  }

  /** Runs to the end. @throws CapstanError when the model cannot be asked; what the run had is on it as `state` */
  async run(input: RunInput, ...[options]: OptionsArgument<ContextOf<Tools>>): Promise<RunResult<Tools>> {
    return this.#start(input, options ?? {})
  }

  /** The same run, with its events as they come and the model's words piece by piece. */
  stream(
    input: RunInput,
    ...[options]: OptionsArgument<ContextOf<Tools>, StreamOptions>
  ): Run<RunResult<Tools>> {
    const given: StartOptions & StreamOptions = options ?? {}
    const check = (call: PendingCall, decision: Decision) =>
      checkDecision(call, decision, this.#toolsOf(given))
    return new Run((start) => this.#start(input, given, start), given, check)
  }

  async #start(input: RunInput, options: StartOptions, start?: RunStart): Promise<RunResult<Tools>> {
    checkSettings(options.settings)
    const toolset = this.#toolsOf(options)
    const walk = begin(input, {
      agent: this.name,
      definitionHash: toolset.hash,
      runId: options.runId,
      limits: toLimits(defaultLimits, this.#options.limits),
      further: options.limits,
      allowChangedTools: options.allowChangedTools,
    })
    const { state } = walk
    checkCost(state.limits, this.#options.price, this.#model.name)
    await checkDecisions(options.decisions ?? {}, state.pending, toolset)
    const { signal, release } = joinSignals([options.signal, start?.signal])
    const save = toCheckpoint([this.#options.onCheckpoint, options.onCheckpoint])
    try {
      const plan = toPlan(this.#options as AgentOptions<readonly AnyTool[]>, options, {
        agent: this.name,
        model: this.#model,
        artifacts: this.artifacts.store,
        toolset,
        walk,
        signal,
        save,
        start,
      })
      const things = options.attachments ?? []
      await drive(walk, plan, () => attach(state.messages, things, this.artifacts.store))
      await keep(state, save)
    } finally {
      release()
    }
    return toResult<Tools>(walk, new Set(this.#toolset.names))
  }

  #toolsOf({ tools = [] }: StartOptions): Toolset {
    return tools.length === 0 ? this.#toolset : toToolset([...this.#toolset.tools, ...tools])
  }
}

/** Hands over the last state; when that fails, its error has it. */
async function keep(state: RunState, save: OnCheckpoint | undefined): Promise<void> {
  try {
    await save?.(state)
  } catch (error) {
    throw withState(error, state)
  }
}

const defaultLimits: Limits = { steps: 20 }
