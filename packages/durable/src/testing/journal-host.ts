import {
  type AnyAgent,
  type CreateHost,
  memoryHost,
  type RunHost,
  type RunState,
  type Step,
  type StepContext,
} from '@capstan/core'
import { settle } from '@capstan/core/internal'
import { type Recorded, record, reveal } from '../recorded.js'

/** What came of each step, by the run's id and the step's key. A Map is one. */
export interface Journal {
  get(key: string): Recorded | undefined
  set(key: string, recorded: Recorded): unknown
}

export interface JournalOptions {
  /** Where a worker may die: then it never resolves. */
  readonly pass?: (point: FaultPoint) => Promise<void>
  /** Who does the steps that are not in the journal. Default: in memory. */
  readonly inner?: CreateHost
}

/**
 * The smallest durable host there is: what came of a step is kept in a journal, and a run that is repeated over the
 * same journal is given it back. As durable as the journal; here to read, and to test the suite by.
 */
export function journalHost(
  journal: Journal,
  { pass = async () => {}, inner = memoryHost }: JournalOptions = {},
): CreateHost {
  const bind: CreateHost = (binding) => {
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

/** Makes the host of one worker: where it dies, `pass` never resolves. */
export type CreateWorkerHost = (journal: Journal, pass: (point: FaultPoint) => Promise<void>) => CreateHost

/**
 * Journals in memory, under test. A worker that dies is abandoned where it stands: what it was waiting for never comes,
 * what it had begun outside comes to its end unseen, and another worker begins anew with the journal.
 */
export function hostInMemory(
  bind: CreateWorkerHost = (journal, pass) => journalHost(journal, { pass }),
  makeJournal: () => Journal = () => new Map(),
): HostUnderTest {
  const journals = new Map<string, Journal>()
  return {
    async drive(id, agent, given, dies) {
      const journal = journals.get(id) ?? makeJournal()
      journals.set(id, journal)
      const work = (): Promise<RunState | undefined> =>
        new Promise((resolve, reject) => {
          let isDead = false
          const pass = async (point: FaultPoint) => {
            if (!isDead && dies(point)) {
              isDead = true
              resolve(undefined)
            }
            if (isDead) await new Promise(() => {})
          }
          const state = JSON.parse(JSON.stringify(given)) as RunState
          const { decisions } = state
          const run = agent.run(state, { decisions, host: bind(journal, pass), context: undefined as never })
          run.then((result) => resolve(result.state), reject)
        })
      for (;;) {
        const state = await work()
        if (state) return state
      }
    },
  }
}

/** Where a worker may die: the step has not begun; it is over, and nothing is kept of it; what it came to is kept. */
export interface FaultPoint {
  readonly key: string
  readonly when: 'before' | 'after' | 'kept'
}

/** A host under test, with the agents of the suite on it. */
export interface HostUnderTest {
  /**
   * Works on a run until it ends, or waits: by the journal of this id, from the state that is given and with the
   * decisions in it, `agent.run(state, { decisions: state.decisions, ... })`. At each point
   * `dies` is asked; when it says yes the worker is as good as killed there, and another one goes on from what the
   * journal has.
   */
  drive(
    journal: string,
    agent: AnyAgent,
    state: RunState,
    dies: (point: FaultPoint) => boolean,
  ): Promise<RunState>
}
