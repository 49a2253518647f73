import { abortable } from '../async.js'
import type { CreateHost } from '../types/host.js'
import type { RunState } from '../types/state.js'

/** Takes a run's state, to be kept. The run waits for it, and fails when it fails: a state that is lost helps nobody. */
export type OnCheckpoint = (state: RunState) => void | Promise<void>

/** Several as one, each given a copy that the run does not change any more; undefined when there is none. */
export function toCheckpoint(given: readonly (OnCheckpoint | undefined)[]): OnCheckpoint | undefined {
  const saves = given.filter((save) => save !== undefined)
  if (saves.length === 0) return undefined
  return async (state) => {
    for (const save of saves) await save(snapshot(state))
  }
}

/** A host that hands the run's state over before each step: what comes after a crash goes on from there. */
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
    // After an abort calls answer for themselves: none that was not answered before has run.
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

/** Messages never change, and are shared. */
function snapshot(state: RunState): RunState {
  return {
    ...state,
    messages: [...state.messages],
    answered: { ...state.answered },
    pending: [...state.pending],
    flags: { ...state.flags },
  }
}
