import { memoryHost } from '../run/memory-host.js'
import { CapstanError } from '../words/error.js'
import type { BindHost, RunHost, Settled, Step } from '../words/host.js'
import type { RunTold } from './recording.js'
import { withRunId } from './run-ids.js'

/**
 * A host that gives what calls came to in a recorded run, and what was decided, in place of running and asking. Only
 * the model's steps are done anew.
 */
export function replayingHost(run: RunTold): BindHost {
  const outcomes = byPlace(run.outcomes)
  const given = byPlace(run.given)
  const nows = [...run.nows]
  return (binding) => {
    const inner = memoryHost(binding)
    const { runId } = binding
    const start = Date.now()
    const recorded = <T>(step: Step<T>): Promise<T> => {
      const found = outcomes.get(step.key)?.shift()
      if (found) return Promise.resolve(withRunId(found.outcome.came, runId) as T)
      const message = `The run came to ${step.key}, and the recording has no outcome of it.`
      return Promise.reject(new CapstanError('conflict', message, { evidence: { at: step.key } }))
    }
    const step = <T>(one: Step<T>) => (isModels(one) ? inner.step(one) : recorded(one))
    const host: RunHost = {
      ...inner,
      step,
      all: (steps) => Promise.all(steps.map((one) => settled(step(one)))),
      waitFor: async <T>(key: string) => given.get(key)?.shift()?.given as T | undefined,
      now: async () => start + (nows.shift() ?? 0),
    }
    return host
  }
}

function byPlace<Item extends { readonly at: string }>(items: readonly Item[]): Map<string, Item[]> {
  const places = new Map<string, Item[]>()
  for (const item of items) places.set(item.at, [...(places.get(item.at) ?? []), item])
  return places
}

function isModels(step: Step<unknown>): boolean {
  return 'run' in step && step.options?.kind === 'model'
}

function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  )
}
