import { test as everywhere, expect } from 'vitest'
import { test } from '../postgres.js'
import { dbosEngine } from './dbos-engine.js'
import type { Engine } from './engine.js'
import { killPrograms } from './kill-programs.js'
import { killReaders, readings } from './kill-readers.js'
import { killWorkers, type Outcome, type Plan } from './kill-workers.js'
import { startLedger } from './ledger.js'
import { mulberry } from './mulberry.js'
import { restateEngine } from './restate-engine.js'

// Only a few kills. prove-kills.ts does twenty, on Restate too.
async function kill(
  journal: boolean,
  plan: Pick<Plan, 'workers' | 'names' | 'stops'>,
  seed = 1,
): Promise<Outcome> {
  const random = mulberry(seed)
  const ledger = await startLedger(random)
  const engine = (await dbosEngine(ledger.origin, journal ? 'counted' : 'forgetful')) as Engine
  try {
    return await killWorkers(engine, ledger, { kills: 3, random, ...plan })
  } finally {
    await engine.close()
    ledger.close()
  }
}

test('killed workers lose no run and repeat nothing with other arguments', async () => {
  expect((await kill(true, { workers: 2, names: 'fresh' })).faults).toEqual([])
}, 240_000)

test('all runs of workers of one name end, although one worker is killed', async () => {
  expect((await kill(true, { workers: 2, names: 'twins' })).faults).toEqual([])
}, 240_000)

test('stopped workers lose no run and repeat nothing with other arguments', async () => {
  const plan = { workers: 2, names: 'fresh', stops: true } as const
  expect((await kill(true, plan)).faults).toEqual([])
}, 240_000)

test('the proof fails without a journal', async () => {
  // On a busy machine, all kills may happen while nothing is running.
  let faults = ''
  for (let seed = 1; seed <= 5 && !faults.includes('sets of arguments'); seed++)
    faults += (await kill(false, { workers: 1, names: 'kept' }, seed)).faults.join()
  expect(faults).toContain('sets of arguments')
}, 600_000)

// prove-kills.ts does all of them on both engines.
const killed = Object.entries(readings)

test.each(killed.filter((_, at) => at !== 2))(
  'sends the same bytes, and asks for nothing again: %s',
  async (_what, reading) => {
    expect(await killReaders(dbosEngine, reading)).toMatchObject({ kills: 13, again: 0, faults: [] })
  },
  240_000,
)

test('a program asks the same, and makes no call twice, wherever its worker is killed', async () => {
  expect(await killPrograms(dbosEngine, 'before')).toMatchObject({ lost: 10, faults: [] })
}, 240_000)

everywhere.for(killed.filter(([, { at }]) => at === 'reply'))(
  'on Restate, too, it asks for nothing again: %s',
  { timeout: 240_000 },
  async ([, reading], context) => {
    const read = await killReaders(restateEngine, reading)
    if (!read) return context.skip()
    expect(read).toMatchObject({ kills: 13, again: 0, faults: [] })
  },
)
