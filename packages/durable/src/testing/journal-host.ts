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

/** The results of steps, by run id and step key. A Map is a valid journal. */
export interface Journal {
  get(key: string): Recorded | undefined
  set(key: string, recorded: Recorded): unknown
}

export interface JournalOptions {
  /** Called at each fault point. Never resolves when the worker dies there. */
  readonly pass?: (point: FaultPoint) => Promise<void>
  /** The host that runs steps missing in the journal. Default: in memory. */
  readonly inner?: CreateHost
}

/**
 * Creates a minimal durable host. It stores the results of steps in a journal, and returns them when the run is
 * repeated with the same journal. The runs are as durable as the journal. Use the host as an example and to test the
 * suite.
 */
export function journalHost(
  journal: Journal,
  { pass = async () => {}, inner = memoryHost }: JournalOptions = {},
): CreateHost {
  const bind: CreateHost = (binding) => {
    const host = inner({ ...binding, hostWithin: bind })
    const stored = async <T>(key: string, work: () => Promise<Recorded>): Promise<T> => {
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
      // The limit applies to each step of a child run, not to the child run as a whole.
      const maxBytes = 'run' in one ? undefined : Number.POSITIVE_INFINITY
      return stored(one.key, () =>
        record({ key: one.key, run, ...('run' in one ? { options: one.options } : {}) }, context, maxBytes),
      )
    }
    let asks = 0
    const now = async () => ({ ok: true, value: await host.now() }) as const
    const made: RunHost = {
      step,
      all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
      waitFor: async () => undefined,
      now: () => stored(`now${asks++}`, now),
      id: (key) => stored(`id-${key}`, async () => ({ ok: true, value: await host.id(key) })),
      sleep: (key, ms) =>
        stored(`sleep-${key}`, async () => {
          await host.sleep(key, ms)
          return { ok: true }
        }),
      retries: 'core',
    }
    return made
  }
  return bind
}

/** Creates the host of one worker. `pass` never resolves where the worker dies. */
export type CreateWorkerHost = (journal: Journal, pass: (point: FaultPoint) => Promise<void>) => CreateHost

/**
 * Creates a host under test with journals in memory. A worker that dies is abandoned: its pending steps never resolve,
 * its external effects complete unseen, and a new worker starts again from the journal.
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
          // What has started ends unseen. A retry that still waits must not start: the suite would count it as one too many.
          const worker = new AbortController()
          const pass = async (point: FaultPoint) => {
            if (!isDead && dies(point)) {
              isDead = true
              setImmediate(() => worker.abort())
              resolve(undefined)
            }
            if (isDead) await new Promise(() => {})
          }
          const state = JSON.parse(JSON.stringify(given)) as RunState
          const { decisions } = state
          const run = agent.run(state, {
            decisions,
            host: bind(journal, pass),
            signal: worker.signal,
            context: undefined as never,
          })
          run.then((result) => resolve(result.state), reject)
        })
      for (;;) {
        const state = await work()
        if (state) return state
      }
    },
  }
}

/**
 * A point at which a worker may die. `before`: the step has not started. `after`: it has run, but its result is not
 * stored. `kept`: its result is stored.
 */
export interface FaultPoint {
  readonly key: string
  readonly when: 'before' | 'after' | 'kept'
}

/** The host to test, which can run the suite's agents. */
export interface HostUnderTest {
  /**
   * Executes a run until it ends or is pending, with the journal for this id, from the given state and its decisions:
   * `agent.run(state, { decisions: state.decisions, ... })`. Calls `dies` at each fault point. If it returns true, the
   * host abandons the worker there and continues with another one from the journal.
   */
  drive(
    journal: string,
    agent: AnyAgent,
    state: RunState,
    dies: (point: FaultPoint) => boolean,
  ): Promise<RunState>
}
