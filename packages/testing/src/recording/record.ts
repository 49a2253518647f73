import {
  CapstanError,
  type ChatModel,
  type CreateHost,
  type Json,
  type ModelOverride,
  memoryHost,
  type OnCheckpoint,
  type RunEvent,
  type RunHost,
  type RunState,
  type WaitOptions,
} from '@capstan/core'
import {
  checkModel,
  checkOptionNames,
  currentStep,
  type EventBody,
  keyWithin,
  kindOf,
  type Outcome,
  openCalls,
  readStepKey,
  type StepPart,
  stepKey,
  wrapHost,
} from '@capstan/core/internal'
import {
  isRandomId,
  type RecordedEnd,
  type RecordedEvent,
  type RecordedStart,
  recordedEventTypes,
  withoutDuration,
} from './format.js'
import { Recorder, type RecordOptions } from './recorder.js'

/**
 * A model that records its requests and replies. Dispose of it to close the file. A new recording can then replace the
 * file.
 */
export interface RecordedModel extends ChatModel, Disposable {
  /** Writes all pending lines, such as the last replies to nested agents. */
  flush(): void
}

declare global {
  /**
   * Declared here, so that programs compile without TypeScript's `esnext.disposable` or Node's types. If these are
   * present, the type has the method `[Symbol.dispose]`.
   */
  interface Disposable {}
}

/**
 * Returns a model that records its requests and replies in a file of JSON lines, for `replayModel(file)`. Replaces an
 * existing file. Redacts keys, secret headers and base64.
 * @throws CapstanError `unsupported` without a file system, `conflict` for a file that is already being recorded,
 * `invalid_request` for an invalid argument
 */
export function recordModel(file: string, model: ChatModel, options: RecordOptions = {}): RecordedModel {
  checkFile(file, 'recordModel(file, model)')
  checkModel(model, 'recordModel: model')
  checkOptionNames(options, recordKinds, { of: 'recordModel' })
  const recorder = new Recorder(file, options)
  return {
    ...recorder.model(model),
    flush: () => recorder.flush(),
    [Symbol.dispose]: () => recorder.close(),
  }
}

/**
 * Options that record a run: `agent.run(input, recordRun(file))` or, with other options, `{ ...recordRun(file), signal
 * }`. Pass a model or host to `recordRun`, because passing it to the run would replace the one that records. Dispose of
 * the options to close the file. A new recording can then replace the file.
 */
export interface RecordedRun extends Disposable {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
  readonly onCheckpoint: OnCheckpoint
}

/**
 * Options for `recordRun`. `model` and `host` are run options that you must pass here, because `recordRun` wraps them.
 */
export interface RecordRunOptions extends RecordOptions {
  /**
   * The model to use and record in the run and its child runs, or a function that returns it, given an agent's model
   * and name. Default: each agent's own model.
   */
  readonly model?: ChatModel | ModelOverride
  /** The host that executes the run. Default: this process, in memory. */
  readonly host?: CreateHost
}

/**
 * Returns options that record complete runs in a file of JSON lines: model requests and replies, call results, and the
 * events that explain retries, repairs, limits and stops. Use the file with `replayRun(file)` and `explain(file)`. You
 * can use the same options to record several runs. Keys, secret headers and base64 are redacted. If a run cannot be
 * recorded, it fails.
 * @throws CapstanError `conflict` for a file that is already being recorded, `invalid_request` for an invalid argument
 */
export function recordRun(file: string, given: RecordRunOptions = {}): RecordedRun {
  checkFile(file, 'recordRun(file, options)')
  checkOptionNames(given, { ...recordKinds, host: 'a function', model: true }, { of: 'recordRun' })
  const { host: _, model, ...options } = given
  if (model !== undefined && typeof model !== 'function') checkModel(model, 'recordRun: model')
  return recordWith(new Recorder(file, options), given)
}

/** Returns options that record complete runs with the given recorder. */
export function recordWith(
  recorder: Recorder,
  { host = memoryHost, model }: Pick<RecordRunOptions, 'host' | 'model'>,
): RecordedRun {
  const runs = new Map<string, { readonly places: EventKeys; state: RunState }>()
  const end = (state: RunState, stopReason: RecordedEnd['stopReason']) => {
    runs.delete(state.runId)
    recorder.end(state, stopReason)
  }
  return {
    model(own, agent) {
      const used = typeof model === 'function' ? model(own, agent) : (model ?? own)
      checkModel(used, 'recordRun: model')
      return recorder.model(used)
    },
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

const recordKinds = { secrets: 'an array: [one, two]', onWriteError: 'a function' } as const

function checkFile(file: unknown, use: string): void {
  if (typeof file === 'string') return
  throw new CapstanError(
    'invalid_request',
    `The file to record into must be a string, not ${kindOf(file)}. Use ${use}.`,
  )
}

/** Wraps a host to record its steps' results, decisions and times. */
function recordingHost(inner: RunHost, recorder: Recorder, runId: string): RunHost {
  let startedAt: number | undefined
  return wrapHost(inner, {
    ended(step, outcome) {
      const name = 'run' in step ? step.options?.name : step.child.agent
      const isCall = !('run' in step) || step.options?.kind === 'tool'
      if (!outcome.ok || !isCall) return
      const came = withoutDuration(outcome.value as Outcome)
      recorder.note(runId, step.key, { outcome: { name: name ?? '', came } })
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
  })
}

function toRecordedStart(state: RunState): RecordedStart {
  const { agent, limits, messages, stepCount, stopReason: _, ...rest } = state
  const isNew = stepCount === 0 && rest.pending.length === 0
  return {
    agent,
    ...(isRandomId(rest.runId) ? {} : { runId: rest.runId }),
    limits,
    ...(isNew ? { messages } : { state: { ...rest, agent, limits, messages, stepCount } }),
  }
}

function isRecordedEvent(event: EventBody): event is RecordedEvent {
  return (recordedEventTypes as readonly string[]).includes(event.type)
}

/**
 * Determines the step key at which an event is recorded. This is the key of the call that the event is about, or else
 * of the step.
 */
class EventKeys {
  /**
   * The step key of each call, by call id. If a child run made the call, its id is prefixed with the ids of the calls
   * that contain it.
   */
  readonly #calls = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** `open` contains the calls that are open in the state that the run resumes. They were made in `step`. */
  constructor(open: readonly { readonly id: string }[] = [], step = 0) {
    for (const { id } of open) this.#take(id, '', step)
  }

  placeOf(event: RunEvent): string {
    const { parentCallId: parent, step } = event
    const run = parent === undefined ? '' : this.#childOf(parent)
    const keyOf = (part: StepPart) => keyWithin(run, stepKey(step, part))
    if ('callId' in event && event.callId !== undefined) {
      const path =
        parent === undefined || event.callId.startsWith(`${parent}/`)
          ? event.callId
          : `${parent}/${event.callId}`
      if (event.type === 'call-ready' || event.type === 'repair-applied') this.#take(path, run, step)
      return this.#calls.get(path) ?? keyOf('end')
    }
    if (event.type === 'final-answer-failed') return keyOf('final')
    const isBefore = ofRequests.includes(event.type)
    return keyOf(isBefore ? 'request' : 'end')
  }

  /**
   * Assigns the next step key to a call, unless the call already has one. Calls are reported in order, and a repair is
   * reported before its call.
   */
  #take(path: string, run: string, step: number): void {
    if (this.#calls.has(path)) return
    const counted = keyWithin(run, String(step))
    const count = this.#counts.get(counted) ?? 0
    this.#counts.set(counted, count + 1)
    this.#calls.set(path, keyWithin(run, stepKey(step, `call${count}`)))
  }

  #childOf(path: string): string {
    const key = readStepKey(this.#calls.get(path) ?? '')
    return key ? keyWithin(key.run, stepKey(key.step, `child${key.index}`)) : path
  }
}

/** Events that concern a request. They are recorded before that request. */
const ofRequests: readonly string[] = [
  'context-trimmed',
  'context-lost',
  'context-over',
  'effects-left-behind',
  'prefix-broken',
  'message-delivered',
]
