// Builds a run's summary (`run.json`) from the run's events and states.

import type { ChatModel, Message, RunEvent, RunState, StopReason } from '@capstan/core'
import { fileLineOf, noUsage, type Redactor, textOf } from '@capstan/core/internal'
import type { RunSummary } from '../types.js'

/**
 * Data about a run that its events and states do not contain. Only the code that starts the run has it. All fields are
 * optional.
 */
export type RunFacts = Partial<Pick<RunSummary, 'kind' | 'title' | 'after' | 'fork' | 'isLocalService'>> & {
  /** The agent's file, its loaded version, and the program that runs it. */
  readonly source?: Partial<Pick<RunSummary['source'], 'file' | 'version' | 'program'>>
}

/** The data in a summary that is the same for all rounds of a run. */
interface RunIdentity {
  readonly id: string
  readonly agent: string
  readonly facts: RunFacts
  readonly origin: string | undefined
}

type Draft = { -readonly [Field in keyof RunSummary]: RunSummary[Field] }

/** The summary of a run that is in progress. */
export class SummaryDraft {
  readonly #draft: Draft
  readonly #redactor: Redactor
  readonly #workedBefore: number
  readonly #roundBegan = performance.now()
  #hasTitle: boolean

  /** `before` is the run's summary so far. Pass it for every round except the first. */
  constructor({ id, agent, facts, origin }: RunIdentity, redactor: Redactor, before: RunSummary | undefined) {
    const { source, ...own } = facts
    this.#redactor = redactor
    this.#workedBefore = before?.workedMs ?? 0
    this.#hasTitle = own.title !== undefined || before !== undefined
    const { stopReason: _, limit: __, error: ___, endedAt: ____, ...kept } = before ?? {}
    this.#draft = {
      schema: 1,
      id,
      kind: 'run',
      agent,
      title: '',
      startedAt: new Date().toISOString(),
      workedMs: 0,
      steps: 0,
      toolCalls: 0,
      usage: noUsage,
      artifacts: [],
      models: [],
      ...kept,
      ...redactor.value(own),
      status: 'running',
      rounds: (before?.rounds ?? 0) + 1,
      source: { version: 0, program: 'keepRun', ...before?.source, ...source, pid: process.pid },
      ...(origin === undefined ? {} : { origin }),
    }
  }

  get summary(): RunSummary {
    return this.#draft
  }

  /** Copies steps, usage and artifacts from a state. From the first state, also takes the title. */
  state({ usage, stepCount, messages, artifacts = [] }: RunState): void {
    this.#draft.steps = stepCount
    this.#draft.usage = usage
    for (const { id } of artifacts) this.artifact(id)
    if (this.#hasTitle) return
    this.#hasTitle = true
    this.#draft.title = this.#redactor.text(titleOf(messages))
  }

  model({ name }: ChatModel): void {
    if (!this.#draft.models.includes(name)) this.#draft.models = [...this.#draft.models, name]
  }

  artifact(id: string): void {
    if (!this.#draft.artifacts.includes(id)) this.#draft.artifacts = [...this.#draft.artifacts, id]
  }

  event(event: RunEvent): void {
    const draft = this.#draft
    draft.workedMs = Math.round(this.#workedBefore + performance.now() - this.#roundBegan)
    if (event.type === 'call-ready') {
      draft.toolCalls += 1
      const { tools = [] } = draft
      if (!tools.includes(event.name)) draft.tools = [...tools, event.name]
    } else if (event.type === 'artifact-stored') this.artifact(event.artifact.id)
    if (event.parentCallId !== undefined) return
    if (event.type === 'step-end') {
      draft.steps = event.step + 1
      draft.usage = event.usage
    } else if (event.type === 'limit-reached') draft.limit = event.limit
    else if (event.type === 'run-end') this.#end(event)
  }

  #end(event: Extract<RunEvent, { type: 'run-end' }>): void {
    const draft = this.#draft
    const { stopReason, usage } = event
    draft.usage = usage
    draft.endedAt = new Date().toISOString()
    draft.status = stopReason === 'error' ? 'failed' : stopReason === 'pending' ? 'pending' : 'ended'
    if (stopReason !== 'error') draft.stopReason = stopReason satisfies StopReason
    if (stopReason !== 'limit') delete draft.limit
    if ('code' in event) draft.error = { code: event.code, message: this.#redactor.text(event.message) }
  }
}

/** Returns the last user message on one line, cut to 80 characters. */
function titleOf(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages[0]
  const words = last ? textOf(last.content) || fileLineOf(last) : ''
  const line = words.replace(/\s+/g, ' ').trim()
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed().trimEnd()}…` : line
}
