import type { BindHost, RunState } from '@capstan/core'
import type { FaultPoint, HostUnderTest } from './host-under-test.js'
import { type Journal, journalHost } from './journal-host.js'

/** Makes the host of one worker: where it dies, `pass` never resolves. */
export type BindWorker = (journal: Journal, pass: (point: FaultPoint) => Promise<void>) => BindHost

/**
 * Journals in memory, under test. A worker that dies is abandoned where it stands: what it was waiting for never comes,
 * what it had begun outside comes to its end unseen, and another worker begins anew with the journal.
 */
export function hostInMemory(
  bind: BindWorker = (journal, pass) => journalHost(journal, { pass }),
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
