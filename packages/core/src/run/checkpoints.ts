import { abortable } from '../async.js'
import type { CreateHost } from '../types/host.js'
import type { RunState } from '../types/state.js'

/** Saves a run's state. The run waits for it, and fails when it fails. */
export type OnCheckpoint = (state: RunState) => void | Promise<void>

/** Combines several into one; each receives a copy that the run no longer changes. Returns undefined for none. */
export function toCheckpoint(given: readonly (OnCheckpoint | undefined)[]): OnCheckpoint | undefined {
  const saves = given.filter((save) => save !== undefined)
  if (saves.length === 0) return undefined
  return async (state) => {
    for (const save of saves) await save(snapshot(state))
  }
}

/** Wraps a host: saves the run's state before each step, so that the run can be resumed after a crash. */
export function withCheckpoints(
  host: CreateHost,
  state: RunState,
  save: OnCheckpoint | undefined,
): CreateHost {
  if (!save) return host
  return (binding) => {
    const inner = host(binding)
    const { signal } = binding
    const keep = async () => abortable(signal, save(state))
    // After an abort a failed checkpoint is ignored: no new call has started.
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
      retries: inner.retries,
    }
  }
}

/** Copies a state. Messages never change, so they are shared. */
function snapshot(state: RunState): RunState {
  return {
    ...state,
    messages: [...state.messages],
    answered: { ...state.answered },
    pending: [...state.pending],
    flags: { ...state.flags },
  }
}
