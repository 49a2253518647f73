import {
  type AnyAgent,
  type Artifact,
  CapstanError,
  type Decisions,
  type Limits,
  type Run,
  type RunInput,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { keepRun } from '../keep-run/keep-run.js'
import type { FileToLoad } from '../runtime/protocol.js'
import { RunStore } from '../store/run-store.js'
import type { RunSummary, StartRun } from '../types.js'
import type { AgentExports } from './agent-exports.js'
import { oneCallAgent } from './call-tool.js'
import type { Replay } from './check-run.js'
import { describeChange, forkState } from './fork-state.js'
import { modelOverride } from './local-models.js'
import { ownOptions, toRunOptions } from './round-options.js'

/** Callbacks for the runs in this process. */
export interface RunListener {
  /** Called when more of a run's data has been written. */
  onAppended(run: string): void
  /** Called when one of a run's rounds has ended. */
  onEnded(run: string): void
}

/** Data about a run that its events do not contain. */
type Kept = Pick<RunSummary, 'kind'> & Partial<Pick<RunSummary, 'title' | 'after' | 'fork'>>

/** Runs the agents that a file exports, and keeps the runs in the studio's folder. */
export class AgentRuns {
  readonly #exports: AgentExports
  readonly #loaded: FileToLoad
  readonly #listener: RunListener
  readonly #store: RunStore
  readonly #running = new Map<string, Run<RunResult>>()

  constructor(exports: AgentExports, loaded: FileToLoad, listener: RunListener) {
    this.#exports = exports
    this.#loaded = loaded
    this.#listener = listener
    this.#store = new RunStore(loaded.folder)
  }

  /**
   * Starts a run: a new one, the next one in a conversation, or a fork of an earlier one. Resolves when the run has
   * started.
   */
  async start(run: string, request: StartRun): Promise<void> {
    const agent = this.#agent(request.agent)
    const { fork, after, input = '' } = request
    if (fork) return this.#startFork(agent, run, request)
    const before = after === undefined ? undefined : await this.#store.state(after)
    const messages: RunInput = before ? [...before.messages, { role: 'user', content: input }] : input
    await this.#begin(agent, messages, {
      run,
      request,
      kept: { kind: 'run', title: titleOf(input), ...(after === undefined ? {} : { after }) },
    })
  }

  /**
   * Continues a pending run with decisions on its calls. Resolves to the new round's number when the round has started.
   */
  async decide(run: string, decisions: Decisions, allowChangedTools: boolean): Promise<{ round: number }> {
    const summary = await this.#summary(run)
    if (summary.status !== 'pending')
      throw new CapstanError('conflict', `The run "${run}" is not waiting for a decision.`)
    await this.#continue(summary, { decisions, allowChangedTools })
    return { round: summary.rounds + 1 }
  }

  /** Continues a run that ended at a limit, failed, was stopped or was lost. `limits` override the run's own. */
  async resume(run: string, limits?: Limits): Promise<void> {
    const summary = await this.#summary(run)
    if (summary.status === 'pending')
      throw new CapstanError('conflict', `The run "${run}" is pending. Decide on its calls first.`)
    await this.#continue(summary, { ...(limits ? { limits } : {}), allowChangedTools: true })
  }

  async stop(run: string): Promise<void> {
    const running = this.#running.get(run)
    running?.abort(new Error('The run was stopped in the studio.'))
    await running?.result.catch(() => {})
  }

  async send(run: string, text: string): Promise<void> {
    const running = this.#running.get(run)
    if (!running) throw new CapstanError('conflict', `The run "${run}" is not running.`)
    running.send(text)
  }

  /** Calls a tool in a separate run. The call needs no approval, because the user makes it. */
  async callTool(
    run: string,
    name: string,
    call: { arguments: unknown; agent?: string | undefined },
  ): Promise<void> {
    const found = this.#exports.tools.get(name)
    if (!found)
      throw new CapstanError(
        'not_found',
        `The file contains no tool "${name}". Export the tool, or an agent that uses it.`,
      )
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {})
    const { agent, input } = oneCallAgent(found.tool, text)
    await this.#begin(agent, input, {
      run,
      request: { agent: agent.name },
      kept: { kind: 'tool-call', title: titleOf(`${name} ${text}`) },
    })
  }

  /** Returns the data that is needed to repeat a run. @throws CapstanError `unsupported` for a single tool call */
  async replay(run: string, tools: 'recorded' | 'run' = 'recorded'): Promise<Replay> {
    const { agent, kind } = await this.#summary(run)
    if (kind !== 'run')
      throw new CapstanError(
        'unsupported',
        'A single tool call cannot be repeated: it contains no model replies.',
      )
    const recordings = await this.#store.recordings(run)
    const rounds = recordings.map(async (recording, at) => ({
      recording,
      options: await this.#store.roundOptions(run, at + 1),
    }))
    return {
      rounds: await Promise.all(rounds),
      agent: this.#agent(agent),
      context: await this.#context(),
      tools,
    }
  }

  async #startFork(agent: AnyAgent, run: string, request: StartRun): Promise<void> {
    const { fork, input, agent: _, after: __, ...further } = request
    if (!fork) return
    const { run: from, checkpoint, messages } = fork
    const state = await this.#store.state(from, checkpoint)
    const change = describeChange(state, fork, further)
    const { title, rounds } = await this.#summary(from)
    const { effects: ___, ...kept } = await this.#store.roundOptions(from, rounds)
    await this.#begin(agent, withInput(forkState(state, messages), input), {
      run,
      // Settings that the request does not change stay the same as in the original run.
      request: { ...kept, effects: 'ask', ...request },
      kept: { kind: 'run', title, fork: { run: from, checkpoint, change } },
      options: { allowChangedTools: true },
    })
  }

  async #continue(
    summary: RunSummary,
    options: { decisions?: Decisions; limits?: Limits; allowChangedTools: boolean },
  ): Promise<void> {
    const { id, kind, title, rounds } = summary
    const state = await this.#store.state(id)
    const agent = this.#agent(summary.agent)
    const before = await this.#store.roundOptions(id, rounds)
    const { decisions, allowChangedTools } = options
    const limits = { ...before.limits, ...options.limits }
    await this.#begin(agent, state, {
      run: id,
      round: rounds + 1,
      request: { ...before, agent: agent.name, ...(Object.keys(limits).length > 0 ? { limits } : {}) },
      kept: { kind, title },
      options: { allowChangedTools, ...(decisions ? { decisions } : {}) },
    })
  }

  /** Starts a round of a run. Rejects if the round fails before its first step. */
  async #begin(
    agent: AnyAgent,
    input: RunInput,
    { run, round = 1, request, kept, options = {} }: Beginning,
  ): Promise<void> {
    if (this.#running.has(run)) throw new CapstanError('conflict', `The run "${run}" is already running.`)
    const { folder, file, version, service } = this.#loaded
    const own = ownOptions(request)
    const keeping = keepRun({
      folder,
      secrets: service ? [service.apiKey] : [],
      model: modelOverride({ agent, model: request.model, service }),
      facts: {
        ...kept,
        source: { file, version, program: 'studio' },
        ...(service ? { isLocalService: true } : {}),
      },
      onAppended: (id) => this.#listener.onAppended(id),
    })
    const started = agent.stream(input, {
      ...keeping,
      ...toRunOptions(own),
      ...options,
      runId: run,
      // Events need not stay in memory, because pages read them from the kept run.
      keepEvents: 0,
      artifacts: this.#store.artifacts,
      context: await this.#context(),
      ...(request.attachments ? { attachments: await this.#attachments(request.attachments) } : {}),
    })
    this.#running.set(run, started)
    const ended = started.result.finally(() => {
      this.#running.delete(run)
      this.#listener.onEnded(run)
    })
    const begun = new Promise<void>((resolve) => started.on('run-start', () => resolve()))
    await Promise.race([begun, ended])
    await this.#store.keepOptions(run, round, own)
    // The kept run already contains the error.
    ended.catch(() => {})
  }

  #agent(name: string): AnyAgent {
    const found = this.#exports.agents.get(name)
    if (found) return found
    const names = [...this.#exports.agents.keys()].join(', ') || 'none'
    throw new CapstanError('not_found', `The file exports no agent "${name}". It exports: ${names}.`)
  }

  async #context(): Promise<unknown> {
    return this.#loaded.context ?? (await this.#exports.settings.context?.())
  }

  async #summary(run: string): Promise<RunSummary> {
    const found = await this.#store.get(run)
    if (found) return found
    throw new CapstanError('not_found', `There is no run "${run}".`)
  }

  async #attachments(ids: readonly string[]): Promise<readonly Artifact[]> {
    return Promise.all(
      ids.map(async (id) => {
        const found = await this.#store.artifacts.stat(id)
        if (found) return found
        throw new CapstanError('not_found', `There is no artifact "${id}".`)
      }),
    )
  }
}

interface Beginning {
  readonly run: string
  /** The round's number, starting at 1. Default 1. */
  readonly round?: number
  readonly request: StartRun
  readonly kept: Kept
  readonly options?: {
    readonly decisions?: Decisions
    readonly allowChangedTools?: boolean
  }
}

/**
 * Appends the request's input to a forked state as a user message. If there is no input, returns the state unchanged.
 */
function withInput(state: RunState, input: string | undefined): RunState {
  if (input === undefined || input === '') return state
  return { ...state, messages: [...state.messages, { role: 'user', content: input }] }
}

/** Returns text on one line, cut to 80 characters. */
function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= mostTitle ? line : `${line.slice(0, mostTitle - 1).trimEnd()}…`
}

const mostTitle = 80
