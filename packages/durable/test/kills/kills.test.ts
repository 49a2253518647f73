import { expect } from 'vitest'
import { test } from '../postgres.js'
import { dbosEngine } from './dbos-engine.js'
import type { Engine } from './engine.js'
import { killWorkers, type Outcome } from './kill-workers.js'
import { startLedger } from './ledger.js'
import { mulberry } from './mulberry.js'

// A few kills; prove-kills.ts has twenty, and Restate as well.
async function kill(journal: boolean, workers: number): Promise<Outcome> {
  const random = mulberry(1)
  const ledger = await startLedger(random)
  const engine = (await dbosEngine(ledger.origin, journal)) as Engine
  try {
    return await killWorkers(engine, ledger, { kills: 3, workers, random, sameNames: workers === 1 })
  } finally {
    await engine.close()
    ledger.close()
  }
}

test('workers that are killed with runs in flight lose none, and do nothing with other arguments', async () => {
  expect((await kill(true, 2)).faults).toEqual([])
}, 90_000)

test('what is proved of a journal does not hold without one', async () => {
  expect((await kill(false, 1)).faults.join()).toContain('sets of arguments')
}, 90_000)
