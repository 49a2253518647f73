// prove-kills.ts ENGINE KILLS [SEED]: kills workers at random times: one, two, and two of one name where the engine has
// names; then the same without a journal, which must fail. Exits with 1 when something was lost or done twice.
import { dbosEngine } from './dbos-engine.js'
import { killWorkers, type Outcome, type Plan } from './kill-workers.js'
import { startLedger } from './ledger.js'
import { mulberry } from './mulberry.js'
import { restateEngine } from './restate-engine.js'

const engines = { dbos: dbosEngine, restate: restateEngine }
const [name = 'dbos', kills = '20', seed = '1'] = process.argv.slice(2)
const engineOf = engines[name as keyof typeof engines]

async function prove(workers: number, names: Plan['names'], journal = true): Promise<Outcome | undefined> {
  const random = mulberry(Number(seed))
  const ledger = await startLedger(random)
  const engine = await engineOf(ledger.origin, journal)
  if (!engine) return undefined
  try {
    const count = journal ? Number(kills) : Math.ceil(Number(kills) / 3)
    return await killWorkers(engine, ledger, { kills: count, workers, random, names })
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

const one = await prove(1, 'kept')
if (one) {
  tell('one worker, under its name', one)
  const two = (await prove(2, 'fresh')) as Outcome
  tell('two workers, each replaced by another', two)
  const twins = name === 'dbos' ? await prove(2, 'twins') : undefined
  if (twins) tell('two workers of one name, one killed while the other works', twins)
  const control = (await prove(1, 'kept', false)) as Outcome
  tell('one worker, no journal (must not hold)', control)
  const isSeen = control.faults.some((fault) => fault.includes('sets of arguments'))
  const faults = [one, two, twins].flatMap((outcome) => outcome?.faults ?? [])
  process.exitCode = faults.length === 0 && isSeen ? 0 : 1
}
