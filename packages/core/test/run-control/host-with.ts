import type { CreateHost } from '../../src/index.js'
import { memoryHost, wrapHost } from '../../src/run/memory-host.js'

/** What is done around each step of a run: the work itself is given. */
type Around = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** A host, by default the one in memory, with something around each of its steps. */
const hostAround =
  (around: Around, host: CreateHost = memoryHost): CreateHost =>
  (binding) => {
    const inner = host(binding)
    return wrapHost(inner, {
      run: (step) => ({ ...step, run: (context) => around(step.key, () => step.run(context)) }),
      waitFor: (key, options) => around(key, () => inner.waitFor(key, options)),
    })
  }

/** The default host, and what happens before and after each of its steps. */
export function hostWith(moment: (key: string, when: 'before' | 'after') => Promise<void>): CreateHost {
  return hostAround(async (key, work) => {
    await moment(key, 'before')
    const value = await work()
    await moment(key, 'after')
    return value
  })
}

/** Outcomes of steps by key, as JSON. */
export type Journal = Map<string, string>

/** A host that records the outcome of each step, and returns it when the run is repeated. */
export const journalHost = (journal: Journal, host: CreateHost): CreateHost =>
  hostAround(async (key, work) => {
    const known = journal.get(key)
    if (known === undefined) journal.set(key, JSON.stringify(await work()))
    return JSON.parse(journal.get(key) ?? 'null')
  }, host)
