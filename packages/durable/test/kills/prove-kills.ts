// prove-kills.ts ENGINE KILLS [SEED]: kills workers at random times: one, two, and two of one name where the engine has
// names; with DBOS, stops workers until others have taken their runs; then kills without a journal, which must fail.
// prove-kills.ts ENGINE steps: kills the worker in each step of runs that shorten their requests.
// prove-kills.ts ENGINE programs: kills the worker at each request of a program whose labels are on.
// Exits with 1 when something was lost, done twice, or sent with other bytes.
import { dbosEngine } from './dbos-engine.js'
import { killPrograms } from './kill-programs.js'
import { killReaders, readings } from './kill-readers.js'
import { killWorkers, type Outcome, type Plan } from './kill-workers.js'
import { startLedger } from './ledger.js'
import { mulberry } from './mulberry.js'
import { restateEngine } from './restate-engine.js'

const engines = { dbos: dbosEngine, restate: restateEngine }
const [name = 'dbos', kills = '20', seed = '1'] = process.argv.slice(2)
const engineOf = engines[name as keyof typeof engines]

interface Trial extends Pick<Plan, 'workers' | 'names' | 'stops'> {
  readonly journal?: boolean
}

async function prove({ journal = true, ...plan }: Trial): Promise<Outcome | undefined> {
  const random = mulberry(Number(seed))
  const ledger = await startLedger(random)
  const engine = await engineOf(ledger.origin, journal ? 'counted' : 'forgetful')
  if (!engine) return undefined
  try {
    const count = journal ? Number(kills) : Math.ceil(Number(kills) / 3)
    return await killWorkers(engine, ledger, { kills: count, random, ...plan })
  } finally {
    await engine.close()
    ledger.close()
  }
}

function tell(what: string, { faults, ...facts }: Pick<Outcome, 'faults'>): void {
  const told = Object.entries(facts).map(([fact, value]) => `${fact} ${value}`)
  console.log(`${what}: ${told.join(', ')}; ${faults.length === 0 ? 'all held' : `${faults.length} faults`}`)
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`)
}

async function proveSteps(): Promise<void> {
  for (const [what, reading] of Object.entries(readings)) {
    const read = await killReaders(engineOf, reading)
    if (!read) return
    tell(what, read)
    if (read.faults.length > 0) process.exitCode = 1
  }
}

async function provePrograms(): Promise<void> {
  for (const at of ['before', 'behind'] as const) {
    const killed = await killPrograms(engineOf, at)
    if (!killed) return
    tell(`a program, killed ${at} each answer`, killed)
    if (killed.faults.length > 0 || killed.lost < 10) process.exitCode = 1
  }
  // Once is enough: the program and its host are the same on both engines.
  const control = name === 'dbos' && (await killPrograms(engineOf, 'before', 'forgetful program'))
  if (!control) return
  tell('a program, no journal (must not hold)', control)
  if (!control.faults.some((fault) => fault.includes('was answered'))) process.exitCode = 1
}

async function proveKills(): Promise<void> {
  const one = await prove({ workers: 1, names: 'kept' })
  if (!one) return
  tell('one worker, under its name', one)
  const two = (await prove({ workers: 2, names: 'fresh' })) as Outcome
  tell('two workers, each replaced by another', two)
  const isDbos = name === 'dbos'
  const twins = isDbos ? await prove({ workers: 2, names: 'twins' }) : undefined
  if (twins) tell('two workers of one name, one killed while the other works', twins)
  const stopped = isDbos ? await prove({ workers: 2, names: 'fresh', stops: true }) : undefined
  if (stopped) tell('two workers, one stopped for longer than deadAfterMs', stopped)
  const control = (await prove({ workers: 1, names: 'kept', journal: false })) as Outcome
  tell('one worker, no journal (must not hold)', control)
  const isSeen = control.faults.some((fault) => fault.includes('sets of arguments'))
  const faults = [one, two, twins, stopped].flatMap((outcome) => outcome?.faults ?? [])
  process.exitCode = faults.length === 0 && isSeen ? 0 : 1
}

await (kills === 'steps' ? proveSteps() : kills === 'programs' ? provePrograms() : proveKills())
