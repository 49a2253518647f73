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

/** Stores step results by run id and step key (`RUN/STEP`). A Map is a valid journal. */
export interface Journal {
  get(key: string): Recorded | undefined
  set(key: string, recorded: Recorded): unknown
}

export interface JournalOptions {
  /** Called at each fault point. If the worker dies there, the promise must never resolve. Default: no worker dies. */
  readonly pass?: (point: FaultPoint) => Promise<void>
  /** The host that runs the steps whose results are not in the journal. Default: in memory. */
  readonly inner?: CreateHost
}

/**
 * Creates a minimal durable host. It stores step results in a journal, and returns them when the run is repeated with
 * the same journal. Runs last only as long as the journal. Use this host as an example, and to test the suite.
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
      // The limit applies to each step of a child run, not to the entire child run.
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

/** Creates the host for one worker. If the worker dies at a point, `pass` never resolves. */
export type CreateWorkerHost = (journal: Journal, pass: (point: FaultPoint) => Promise<void>) => CreateHost

/**
 * Creates a host to test, with journals in memory. When a worker dies, it is abandoned: its open steps never resolve,
 * effects that it has started complete without being recorded, and a new worker starts over with the same journal.
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
          // Work that has started completes without being recorded. A retry that is still waiting must not start, or
          // the suite would count it.
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
 * A point at which a worker may die. `before`: the step has not started. `after`: the step has run, but its result is
 * not stored. `kept`: the result is stored.
 */
export interface FaultPoint {
  readonly key: string
  readonly when: 'before' | 'after' | 'kept'
}

/** A host to test, which can run the suite's agents. */
export interface HostUnderTest {
  /**
   * Executes a run from the given state and its decisions, using the journal with this id, until the run has ended or
   * is pending: `agent.run(state, { decisions: state.decisions, ... })`. Calls `dies` at each fault point. If `dies`
   * returns true, the host must abandon the worker there and let a new worker continue from the journal.
   */
  drive(
    journal: string,
    agent: AnyAgent,
    state: RunState,
    dies: (point: FaultPoint) => boolean,
  ): Promise<RunState>
}
