import { expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { memoryRuns, persistent } from '../src/index.js'
import type { RunRecord, RunStateStore } from '../src/local/run-store.js'
import { checkEnd, coder, questionsIn } from './program-runs.js'

/** A store whose worker dies at one of its writes, before or after the run is stored. */
function dyingStore(store: RunStateStore, at: number, when: 'before' | 'behind') {
  let writes = 0
  let die = () => {}
  const dead = new Promise<void>((resolve) => {
    die = resolve
  })
  const dying: RunStateStore = {
    ...store,
    async save(runId: string, run: RunRecord, version: number) {
      const isLast = writes++ === at
      if (writes > at + 1 || (isLast && when === 'before')) {
        die()
        return new Promise<never>(() => {})
      }
      const saved = await store.save(runId, run, version)
      if (!isLast) return saved
      die()
      return new Promise<never>(() => {})
    },
  }
  return { dying, dead, writes: () => writes }
}

/** Runs the program with a worker that dies once. Returns how many writes that worker made. */
async function runDying(
  at: number,
  when: 'before' | 'behind',
  forget: (run: RunRecord) => RunRecord = (run) => run,
) {
  const base = memoryRuns()
  const store = {
    ...base,
    load: async (id: string) => {
      const found = await base.load(id)
      return found && { ...found, run: forget(found.run) }
    },
  }
  const runId = `program-${crypto.randomUUID()}`
  const { dying, dead, writes } = dyingStore(store, at, when)
  const first = persistent(coder, { store: dying, pollMs: 1 })
  const started = first.start('Go.', { runId }).catch(() => runId)
  const waits = async () => {
    await started
    while ((await first.status(runId)).phase === 'running')
      await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.race([waits(), dead])
  const second = persistent(coder, { store, pollMs: 1 })
  // The process may have died before it stored the run.
  if (!(await base.load(runId))) await second.start('Go.', { runId })
  await second.recover(runId)
  const asked: string[] = []
  let result = await second.result(runId)
  for (; result.pending; result = await second.result(runId)) {
    asked.push(...questionsIn(result.pending))
    for (const { callId } of result.pending) await second.decide(runId, callId, { type: 'approve' })
  }
  checkEnd(runId, result.state, asked)
  return writes()
}

test('a program of a persistent run ends, and no key has two sets of arguments, wherever its worker dies', async () => {
  const all = await runDying(Number.POSITIVE_INFINITY, 'before')
  expect(all).toBeGreaterThan(15)
  const writes = Array.from({ length: all }, (_, at) => at)
  const places = writes.flatMap((at) => [[at, 'before'] as const, [at, 'behind'] as const])
  for (const [at, when] of some(places, 5)) await runDying(at, when)
})

test('without the steps of its child runs keys have other arguments', async () => {
  const forget = ({ childSteps: _, ...run }: RunRecord): RunRecord => run
  const all = await runDying(Number.POSITIVE_INFINITY, 'before')
  const writes = Array.from({ length: all }, (_, at) => at)
  const runs = some(writes, 3).map((at) => runDying(at, 'behind', forget))
  const ends = await Promise.allSettled(runs)
  const wrong = ends.flatMap((one) => (one.status === 'rejected' ? String(one.reason) : []))
  expect(wrong.join('\n')).toMatch(/call\d has .* and /)
})
