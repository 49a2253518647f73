// prove-kills.ts ENGINE KILLS [SEED]: workers are killed at random times, one and two of them; then the same without a
// journal, which must not hold. Ends with 1 when something was lost or done twice.
import { dbosEngine } from './dbos-engine.js'
import { killWorkers, type Outcome } from './kill-workers.js'
import { startLedger } from './ledger.js'
import { mulberry } from './mulberry.js'
import { restateEngine } from './restate-engine.js'

const engines = { dbos: dbosEngine, restate: restateEngine }
const [name = 'dbos', kills = '20', seed = '1'] = process.argv.slice(2)
const engineOf = engines[name as keyof typeof engines]

async function prove(workers: number, sameNames: boolean, journal = true): Promise<Outcome | undefined> {
  const random = mulberry(Number(seed))
  const ledger = await startLedger(random)
  const engine = await engineOf(ledger.origin, journal)
  if (!engine) return undefined
  try {
    const count = journal ? Number(kills) : Math.ceil(Number(kills) / 3)
    return await killWorkers(engine, ledger, { kills: count, workers, random, sameNames })
  } finally {
    await engine.close()
    ledger.close()
  }
}

function tell(what: string, { faults, ...facts }: Outcome): void {
  const told = Object.entries(facts).map(([fact, value]) => `${fact} ${value}`)
  console.log(`${what}: ${told.join(', ')}; ${faults.length === 0 ? 'all held' : `${faults.length} faults`}`)
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`)
}

const one = await prove(1, true)
if (one) {
  tell('one worker, under its name', one)
  const two = (await prove(2, false)) as Outcome
  tell('two workers, each replaced by another', two)
  const control = (await prove(1, true, false)) as Outcome
  tell('one worker, no journal (must not hold)', control)
  const isSeen = control.faults.some((fault) => fault.includes('sets of arguments'))
  process.exitCode = one.faults.length + two.faults.length === 0 && isSeen ? 0 : 1
}
