import { abortable, calling, ignore, sleep } from '../async.js'
import { CapstanError } from '../errors.js'
import { type EventBody, withFields } from '../types/event.js'
import type {
  ChildStep,
  CreateHost,
  HostContext,
  HostStep,
  RunHost,
  Settled,
  Step,
  WaitOptions,
} from '../types/host.js'
import type { RunState } from '../types/state.js'
import { copyOfUsage } from '../usage.js'

/** The default host: runs steps in this process and records nothing. */
export const memoryHost: CreateHost = (binding) => {
  const { runId, signal } = binding
  const step = async <T>(one: Step<T>): Promise<T> =>
    'run' in one ? one.run({ idempotencyKey: `${runId}/${one.key}`, signal }) : proceed(one, binding)
  return {
    step,
    all<T>(steps: readonly Step<T>[]) {
      const ended: Promise<Settled<T>>[] = []
      for (const one of steps) ended.push(settle(step(one)))
      return Promise.all(ended)
    },
    waitFor: async <T>(_key: string, { call }: WaitOptions = {}) =>
      call && ((await binding.decided?.(call)) as T | undefined),
    now: async () => Date.now(),
    id: async () => crypto.randomUUID(),
    sleep: (_key, ms) => sleep(ms, signal),
    retries: 'core',
  }
}

async function proceed<T>(step: ChildStep<T>, binding: HostContext): Promise<T> {
  const { agent, state, callId } = step.child
  const child = binding.agents.get(agent)
  if (!child)
    throw new CapstanError('not_found', `This run has no agent "${agent}".`, { evidence: { agent } })
  return step.settle(await child.proceed(state, within(binding, state.runId, callId)))
}

/** Returns the host context of a child run. The child's events contain the id of the call that started it. */
export function within(binding: HostContext, runId: string, callId: string): HostContext {
  const { emit, decided } = binding
  const pathTo = (inner: string | undefined) => (inner === undefined ? callId : `${callId}/${inner}`)
  const told = (event: EventBody): EventBody => {
    const parentCallId = pathTo(event.parentCallId)
    // The outermost run receives the decision under this id.
    return event.type === 'call-pending'
      ? { ...event, parentCallId, callId: pathTo(event.callId) }
      : withFields(event, { parentCallId })
  }
  return {
    ...binding,
    runId,
    emit: emit && ((event) => emit(told(event))),
    ...(decided && { decided: (call) => decided({ ...call, callId: pathTo(call.callId) }) }),
  }
}

/** Waits for a step, and returns its value or its error. Never rejects. */
export async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await promise }
  } catch (error) {
    return { ok: false, error }
  }
}

/** The parts of a host that `wrapHost` replaces. */
export interface HostChanges extends Partial<Omit<RunHost, 'step' | 'all'>> {
  /** Returns the replacement for a step that runs a function. */
  run?<T>(step: HostStep<T>): Step<T>
  /** Returns the replacement for a step that runs a child run. */
  child?<T>(step: ChildStep<T>): Step<T>
  /** Called with the result of each step. For `all`, called in array order after all steps have ended. */
  ended?<T>(step: Step<T>, outcome: Settled<T>): void
}

/** Returns a host like `inner`, with the given parts replaced, and its steps replaced or observed. */
export function wrapHost(inner: RunHost, { run, child, ended, ...others }: HostChanges): RunHost {
  const changed = <T>(step: Step<T>): Step<T> => ('run' in step ? run?.(step) : child?.(step)) ?? step
  const step = <T>(one: Step<T>) => inner.step(changed(one))
  const all = <T>(steps: readonly Step<T>[]) => inner.all(steps.map(changed))
  return {
    step,
    all,
    waitFor: (key, options) => inner.waitFor(key, options),
    now: () => inner.now(),
    id: (key) => inner.id(key),
    sleep: (key, ms) => inner.sleep(key, ms),
    retries: inner.retries,
    ...(ended && watched({ step, all }, ended)),
    ...others,
  }
}

function watched(
  { step, all }: Pick<RunHost, 'step' | 'all'>,
  ended: <T>(step: Step<T>, outcome: Settled<T>) => void,
): Pick<RunHost, 'step' | 'all'> {
  return {
    async step(one) {
      const outcome = await settle(step(one))
      ended(one, outcome)
      if (outcome.ok) return outcome.value
      throw outcome.error
    },
    async all(steps) {
      // If the host itself fails, there are no separate outcomes.
      const outcomes = await settle(all(steps))
      for (const [at, one] of steps.entries()) {
        const outcome = outcomes.ok ? outcomes.value[at] : outcomes
        if (outcome) ended(one, outcome)
      }
      if (outcomes.ok) return outcomes.value
      throw outcomes.error
    },
  }
}

/** Saves a run's state. The run waits for the save, and fails if the save fails. */
export type OnCheckpoint = (state: RunState) => void | Promise<void>

/**
 * Combines several save functions into one. Each function receives its own copy of the state. Later steps of the run do
 * not change the copy. Undefined if there are no functions.
 */
export function toCheckpoint(given: readonly (OnCheckpoint | undefined)[]): OnCheckpoint | undefined {
  const saves = given.filter((save) => save !== undefined)
  if (saves.length === 0) return undefined
  return async (state) => {
    for (const save of saves)
      await calling('onCheckpoint', () =>
        save({
          ...state,
          // Messages never change, so they are shared.
          messages: [...state.messages],
          results: { ...state.results },
          pending: [...state.pending],
          usage: copyOfUsage(state.usage),
          flags: { ...state.flags },
          kept: { ...state.kept },
        }),
      )
  }
}

/**
 * Returns a host that saves the run's state before each step, so that the run can be resumed after a crash. Without
 * `save`, returns the host itself.
 */
export function withCheckpoints(
  host: CreateHost,
  state: RunState,
  save: OnCheckpoint | undefined,
): CreateHost {
  if (!save) return host
  return (binding) => {
    const inner = host(binding)
    const { signal } = binding
    let last: Promise<unknown> = Promise.resolve()
    // Steps start in the order in which they were requested, even if one is running in the background.
    const keep = () => {
      const kept = last.catch(ignore).then(() => abortable(signal, save(state)))
      last = kept
      return kept
    }
    // After an abort, a failed checkpoint is ignored, because no new call starts.
    const saved = async <T>(work: () => Promise<T>): Promise<T> => {
      await keep().catch((error) => {
        if (!signal.aborted) throw error
      })
      return work()
    }
    return {
      step: async (step) => {
        await keep()
        return inner.step(step)
      },
      all: (steps) => saved(() => inner.all(steps)),
      waitFor: (key, options) => saved(() => inner.waitFor(key, options)),
      now: () => inner.now(),
      id: (key) => inner.id(key),
      sleep: (key, ms) => inner.sleep(key, ms),
      checkpoint: keep,
      retries: inner.retries,
    }
  }
}
