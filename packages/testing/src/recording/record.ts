import {
  type ChatModel,
  type CreateHost,
  type Json,
  type ModelOverride,
  memoryHost,
  type OnCheckpoint,
  type RunEvent,
  type RunHost,
  type RunState,
  type Step,
  type WaitOptions,
} from '@capstan/core'
import { currentStep, type EventBody, type Outcome, openCalls } from '@capstan/core/internal'
import {
  isRandomId,
  type RecordedEnd,
  type RecordedEvent,
  type RecordedStart,
  recordedEventTypes,
  withoutDuration,
} from './format.js'
import { Recorder, type RecordOptions } from './recorder.js'

/** A model whose requests and answers are written down. Disposed of, it writes no more, and another recorder may begin its file anew. */
export interface RecordedModel extends ChatModel, Disposable {
  /** Writes what still waits: with agents within agents, the last answers of those. */
  flush(): void
}

/**
 * Writes what a model is asked and what it answers into a file of JSON lines, for `replay(file)`; a file of that name
 * begins anew. Keys, what headers of secrets hold, and base64 are taken out. @throws CapstanError `unsupported` where
 * there is no file system, `conflict` for a file that is recorded into already
 */
export function record(model: ChatModel, file: string, options: RecordOptions = {}): RecordedModel {
  const recorder = new Recorder(file, options)
  return {
    ...recorder.model(model),
    flush: () => recorder.flush(),
    [Symbol.dispose]: () => recorder.close(),
  }
}

/**
 * Options of a run that is recorded: `agent.run(input, recordRun(file))`, or with further ones
 * `{ ...recordRun(file), signal }`. Disposed of, the file is written, and another recorder may begin it anew.
 */
export interface RecordedRun extends Disposable {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
  readonly onCheckpoint: OnCheckpoint
}

export interface RecordRunOptions extends RecordOptions {
  /** Who runs the steps. Default: this process, in memory. */
  readonly host?: CreateHost
}

/**
 * Writes a whole run into a file of JSON lines: what its models were asked and answered, what its calls came to, and
 * why it was repeated, repaired, shortened and stopped. For `replayRun(file)` and `explain(file)`; several runs may
 * be recorded into one, by the same options. Keys, what headers of secrets hold, and base64 are taken out. A run whose
 * recording cannot be written fails. @throws CapstanError `conflict` for a file that is recorded into already
 */
export function recordRun(
  file: string,
  { host = memoryHost, ...options }: RecordRunOptions = {},
): RecordedRun {
  const recorder = new Recorder(file, options)
  const runs = new Map<string, { readonly places: EventKeys; state: RunState }>()
  const end = (state: RunState, stopReason: RecordedEnd['stopReason']) => {
    runs.delete(state.runId)
    recorder.end(state, stopReason)
  }
  return {
    model: (own) => recorder.model(own),
    host: (binding) => recordingHost(host(binding), recorder, binding.runId),
    observe(event) {
      const { runId, seq: _, ...telling } = event
      const run = runs.get(runId)
      const at = (run?.places ?? new EventKeys()).placeOf(event)
      if (isRecordedEvent(telling)) recorder.note(runId, at, { event: telling })
      const hasFailed = event.type === 'run-end' && event.stopReason === 'error'
      if (run && hasFailed && event.parentCallId === undefined) end(run.state, 'error')
    },
    onCheckpoint(state) {
      const { runId, stopReason } = state
      const run = runs.get(runId) ?? begin(state)
      run.state = state
      runs.set(runId, run)
      if (stopReason) end(state, stopReason)
    },
    [Symbol.dispose]: () => recorder.close(),
  }

  function begin(state: RunState) {
    recorder.note(state.runId, 'begin', { begin: toRecordedStart(state) })
    return { places: new EventKeys(openCalls(state), currentStep(state)), state }
  }
}

/** A host whose steps are as they were, and what they came to is noted. */
function recordingHost(inner: RunHost, recorder: Recorder, runId: string): RunHost {
  let startedAt: number | undefined
  const note = <T>(step: Step<T>, came: T): T => {
    const name = 'run' in step ? step.options?.name : step.child.agent
    const isCall = !('run' in step) || step.options?.kind === 'tool'
    if (isCall)
      recorder.note(runId, step.key, {
        outcome: { name: name ?? '', came: withoutDuration(came as Outcome) },
      })
    return came
  }
  return {
    step: async (step) => note(step, await inner.step(step)),
    async all(steps) {
      const settled = await inner.all(steps)
      for (const [index, step] of steps.entries()) {
        const one = settled[index]
        if (one?.ok) note(step, one.value)
      }
      return settled
    },
    async waitFor<T>(key: string, options?: WaitOptions) {
      const given = await inner.waitFor<T>(key, options)
      if (given !== undefined) recorder.note(runId, key, { given: given as Json })
      return given
    },
    async now() {
      const now = await inner.now()
      startedAt ??= now
      recorder.note(runId, 'begin', { now: now - startedAt })
      return now
    },
    id: (key) => inner.id(key),
    sleep: (key, ms) => inner.sleep(key, ms),
    retries: inner.retries,
  }
}

function toRecordedStart(state: RunState): RecordedStart {
  const { agent, limits, messages, turn, stopReason: _, ...rest } = state
  const isNew = turn === 0 && rest.pending.length === 0
  return {
    agent,
    ...(isRandomId(rest.runId) ? {} : { runId: rest.runId }),
    limits,
    ...(isNew ? { messages } : { state: { ...rest, agent, limits, messages, turn } }),
  }
}

function isRecordedEvent(event: EventBody): event is RecordedEvent {
  return (recordedEventTypes as readonly string[]).includes(event.type)
}

/** Tells where in a run its events are: at the call that they are about, or at the step. */
class EventKeys {
  /** Places of calls, by their ids and those of the calls around them. */
  readonly #calls = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** `open` are calls of an earlier run that are gone on with, made by the answer at `step`. */
  constructor(open: readonly { readonly id: string }[] = [], step = 0) {
    for (const { id } of open) this.#take(id, `t${step}`)
  }

  placeOf(event: RunEvent): string {
    const { parentCallId: parent, step } = event
    const around = parent === undefined ? '' : `${this.#childOf(parent)}/`
    const turn = `${around}t${step}`
    if ('callId' in event) {
      const path =
        parent === undefined || event.callId.startsWith(`${parent}/`)
          ? event.callId
          : `${parent}/${event.callId}`
      if (event.type === 'call-ready' || event.type === 'repair-applied') this.#take(path, turn)
      return this.#calls.get(path) ?? `${turn}/end`
    }
    if (event.type === 'landing-failed') return `${turn}/landing`
    return event.type === 'context-trimmed' || event.type === 'message-delivered'
      ? `${turn}/model`
      : `${turn}/end`
  }

  /** Calls are told of in their order, what was repaired in one before itself. */
  #take(path: string, turn: string): void {
    if (this.#calls.has(path)) return
    const count = this.#counts.get(turn) ?? 0
    this.#counts.set(turn, count + 1)
    this.#calls.set(path, `${turn}/tool${count}`)
  }

  #childOf(path: string): string {
    return (this.#calls.get(path) ?? path).replace(/tool(\d+)$/, 'child$1')
  }
}
