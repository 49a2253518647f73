import type { AnyAgent, Middleware, RunState } from '@capstan/core'
import type { Check } from '@capstan/testing'
import { compareRuns } from './compare-runs.js'
import { type Fault, type FaultLocation, runScenario, type ScenarioRun, toText } from './faults.js'
import type { HostUnderTest } from './journal-host.js'
import { Ledger } from './ledger.js'
import { type Scenario, scenarios } from './scenarios.js'

export interface FaultSuite {
  /**
   * The agents, including child agents, that a host must register before it starts. All of their names are different.
   */
  readonly agents: readonly AnyAgent[]
  /**
   * Returns the checks for a host, for any test runner: `for (const { name, run } of suite.checks(host)) test(name,
   * run)`. One check can make up to 160 runs.
   */
  checks(host: HostUnderTest, options?: FaultOptions): readonly Check[]
}

export interface FaultSuiteOptions {
  /**
   * Additional middlewares for every agent in the suite. The checks fail if hooks between steps read a clock, use
   * random values, or count their calls. Default: none.
   */
  readonly middleware?: readonly Middleware[]
}

export interface FaultOptions {
  /** How many runs a check executes concurrently. Default 1. */
  readonly atOnce?: number
}

/**
 * Creates a suite of runs whose workers die at every point where a crash can make a difference. The evidence is
 * outside the runs: models reply differently to each request, and tools record their effects in a ledger by
 * idempotency key. Needs no network and no API key.
 */
export function faultSuite({ middleware = [] }: FaultSuiteOptions = {}): FaultSuite {
  const ledger = new Ledger()
  const all = scenarios(ledger, middleware)
  return {
    agents: all.map(({ agent }) => agent),
    checks: (host, { atOnce = 1 } = {}) =>
      all.flatMap((scenario) => checksOf(scenario, { host, ledger, atOnce })),
  }
}

interface SuiteContext {
  readonly host: HostUnderTest
  readonly ledger: Ledger
  readonly atOnce: number
}

function checksOf(scenario: Scenario, stage: SuiteContext): readonly Check[] {
  let first: Promise<Baseline> | undefined
  const calm = () => {
    first ??= runWithoutFaults(scenario, stage)
    return first
  }
  const check = (name: string, toFaults: (places: readonly FaultLocation[]) => readonly Fault[]): Check => ({
    name: `${scenario.name}: ${name}`,
    run: async () => {
      const { places, state } = await calm()
      await runWithFaults(toFaults(places), { ...stage, scenario, wanted: state })
    },
  })
  return [
    check('runs to its end', () => []),
    check('a worker dies, at any point', (places) => places.map((place) => ({ places: [place], times: 1 }))),
    check('two workers die', toPairs),
    check('three workers die at one point', (places) =>
      spread(
        places.filter(({ when }) => when !== 'kept'),
        8,
      ).map((place) => ({ places: [place], times: 3 })),
    ),
  ]
}

/** The outcome of a run without faults: the fault points that it reached, and its final state. */
interface Baseline {
  readonly places: readonly FaultLocation[]
  readonly state: RunState | undefined
}

async function runWithoutFaults(scenario: Scenario, stage: SuiteContext): Promise<Baseline> {
  const scenarioRun = await runScenario(scenario, stage, { places: [], times: 0 })
  const places = scenarioRun.faults.passed
  const wrong = [
    ...compareRuns(scenario, scenarioRun, stage.ledger.of(scenarioRun.runId)),
    ...findUncheckedPoints(scenario, places),
  ]
  if (wrong.length > 0)
    throw new Error(`The run is wrong even without faults: ${wrong.slice(0, maxShown).join('; ')}.`)
  return { places, state: 'state' in scenarioRun.end ? scenarioRun.end.state : undefined }
}

/** Returns a problem for each fault point that the host never reports, because the suite cannot test such a point. */
function findUncheckedPoints({ requests, effects }: Scenario, places: readonly FaultLocation[]): string[] {
  const names = places.map(({ key, when }) => `${when} ${key.split('/').slice(-2).join('/')}`)
  return [...requests, ...effects].flatMap((key) => {
    const tail = key.split('/').slice(-2).join('/')
    const whens = ['before', 'after', 'kept'].filter((when) => !names.includes(`${when} ${tail}`))
    return whens.map((when) => `the host never called dies() at the point "${when} ${key}"`)
  })
}

/** Returns pairs of fault points. The second point of each pair is either the next one or one much later in the run. */
function toPairs(places: readonly FaultLocation[]): readonly Fault[] {
  return spread(places, 6).flatMap((one) => {
    const at = places.indexOf(one)
    const others = [places[at + 1], places[Math.floor((at + places.length) / 2)]]
    return others.flatMap((other) => (other && other !== one ? [{ places: [one, other], times: 1 }] : []))
  })
}

async function runWithFaults(
  faults: readonly Fault[],
  {
    scenario,
    wanted,
    ...stage
  }: SuiteContext & { readonly scenario: Scenario; readonly wanted: RunState | undefined },
): Promise<void> {
  const left = [...faults]
  const wrong: string[] = []
  const work = async () => {
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const scenarioRun = await runScenario(scenario, stage, fault)
      const found = compareRuns(scenario, scenarioRun, stage.ledger.of(scenarioRun.runId), wanted)
      if (found.length > 0) wrong.push(`${describeRun(fault, scenarioRun)}: ${found.join('; ')}`)
    }
  }
  await Promise.all(Array.from({ length: stage.atOnce }, work))
  if (wrong.length === 0) return
  const shown = wrong.slice(0, maxShown).map((one) => `\n- ${one}.`)
  throw new Error(`${wrong.length} of ${faults.length} runs failed.${shown.join('')}`)
}

const maxShown = 5

function describeRun({ places, times }: Fault, { runId }: ScenarioRun): string {
  const often = times > 1 ? `${times} times ` : ''
  return `Dying ${often}${places.map(toText).join(' and ')} (${runId})`
}

/** Returns at most `most` items, evenly spaced and including the first and the last. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items
  const step = (items.length - 1) / (most - 1)
  return items.filter((_, at) => Math.round(Math.round(at / step) * step) === at)
}
