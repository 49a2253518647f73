import { type BindHost, memoryHost, type RunHost, type Step, type StepContext } from '@capstan/core'
import { settle } from '@capstan/core/wire'
import { type Recorded, record, reveal } from '../recorded.js'
import type { FaultPoint } from './host-under-test.js'

/** What came of each step, by the run's id and the step's key. A Map is one. */
export interface Journal {
  get(key: string): Recorded | undefined
  set(key: string, recorded: Recorded): unknown
}

export interface JournalOptions {
  /** Where a worker may die: then it never resolves. */
  readonly pass?: (point: FaultPoint) => Promise<void>
  /** Who does the steps that are not in the journal. Default: in memory. */
  readonly inner?: BindHost
}

/**
 * The smallest durable host there is: what came of a step is kept in a journal, and a run that is repeated over the
 * same journal is given it back. As durable as the journal; here to read, and to test the suite by.
 */
export function journalHost(
  journal: Journal,
  { pass = async () => {}, inner = memoryHost }: JournalOptions = {},
): BindHost {
  const bind: BindHost = (binding) => {
    const host = inner({ ...binding, hostWithin: bind })
    const kept = async <T>(key: string, work: () => Promise<Recorded>): Promise<T> => {
      const name = `${binding.runId}/${key}`
      const known = journal.get(name)
      if (known) return reveal<T>(known)
      await pass({ key, when: 'before' })
      const recorded = await work()
      await pass({ key, when: 'after' })
      journal.set(name, recorded)
      await pass({ key, when: 'kept' })
      return reveal<T>(recorded)
    }
    const step = <T>(one: Step<T>): Promise<T> => {
      const context: StepContext = { idempotencyKey: `${binding.runId}/${one.key}`, signal: binding.signal }
      const run = () => host.step(one)
      // The steps of a run within the run are bounded one by one; the whole of it is not.
      const maxBytes = 'run' in one ? undefined : Number.POSITIVE_INFINITY
      return kept(one.key, () =>
        record({ key: one.key, run, ...('run' in one ? { options: one.options } : {}) }, context, maxBytes),
      )
    }
    let asks = 0
    const now = async () => ({ ok: true, value: await host.now() }) as const
    const made: RunHost = {
      step,
      all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
      waitFor: async () => undefined,
      now: () => kept(`now${asks++}`, now),
      id: (key) => kept(`id-${key}`, async () => ({ ok: true, value: await host.id(key) })),
      sleep: (key, ms) =>
        kept(`sleep-${key}`, async () => {
          await host.sleep(key, ms)
          return { ok: true }
        }),
      retries: 'core',
    }
    return made
  }
  return bind
}
