import { type CapstanError, isCapstanError, type RunState } from '@capstan/core'
import type { FaultPoint, HostUnderTest } from './journal-host.js'
import type { Ledger } from './ledger.js'
import type { Scenario } from './scenarios.js'

/** The points at which workers die in a run, and how many die at each. */
export interface Fault {
  readonly places: readonly FaultLocation[]
  readonly times: number
}

/** How a scenario's run ended, and what happened during the run. */
export interface ScenarioRun {
  readonly runId: string
  readonly faults: Faults
  readonly end: { readonly state: RunState } | { readonly error: CapstanError }
  /** How many times the run was pending. */
  readonly waits: number
  /** The number of attempts for each idempotency key when its result was first reported as stored. */
  readonly attemptsWhenStored: ReadonlyMap<string, number>
  /** The run's duration in seconds. */
  readonly seconds: number
}

/** Runs a scenario on a host. Approves each pending call. */
export async function runScenario(
  scenario: Scenario,
  { host, ledger }: { readonly host: HostUnderTest; readonly ledger: Ledger },
  { places, times }: Fault,
): Promise<ScenarioRun> {
  const { agent, options, waits: mostWaits = 0, forget } = scenario
  const runId = `fault-${crypto.randomUUID()}`
  const kept = new Map<string, number>()
  const faults = new Faults(places, times, ({ key, when }) => {
    const attempts = ledger.of(runId).get(key)?.attempts
    if (when === 'kept' && attempts !== undefined && !kept.has(key)) kept.set(key, attempts)
  })
  const dies = (point: FaultPoint) => {
    const isDead = faults.dies(point)
    if (isDead) forget?.()
    return isDead
  }
  const began = performance.now()
  const facts = { runId, faults, attemptsWhenStored: kept }
  const seconds = () => (performance.now() - began) / 1000
  let state = await agent.prepare('Begin.', { ...options, runId })
  for (let waits = 0; ; waits++) {
    try {
      state = await host.drive(waits === 0 ? runId : `${runId}-${waits}`, agent, state, dies)
      if (state.stopReason !== 'pending' || waits > mostWaits)
        return { ...facts, end: { state }, waits, seconds: seconds() }
      const yes = state.pending.map(({ callId }) => [callId, { type: 'approve' }] as const)
      state = await agent.prepare(state, { decisions: Object.fromEntries(yes) })
    } catch (error) {
      if (isCapstanError(error)) return { ...facts, end: { error }, waits, seconds: seconds() }
      throw error
    }
  }
}

/**
 * A fault point, and how many points with the same key and `when` came before it. The count is needed because steps of
 * child runs can share a key.
 */
export interface FaultLocation extends FaultPoint {
  readonly nth: number
}

/** Decides where workers die in one run, and records which points they reach. */
class Faults {
  /** The fault points that workers reached, in order. */
  readonly passed: FaultLocation[] = []
  deaths = 0
  readonly #planned: { readonly place: FaultLocation; left: number }[]
  readonly #seen = new Map<string, number>()
  readonly #watch: (point: FaultPoint) => void

  /** Makes `times` workers die at each of these points. `watch` is called at every point. */
  constructor(places: readonly FaultLocation[], times: number, watch: (point: FaultPoint) => void) {
    this.#planned = places.map((place) => ({ place, left: times }))
    this.#watch = watch
  }

  /** The points at which fewer workers died than planned. */
  get notReached(): readonly FaultLocation[] {
    return this.#planned.filter(({ left }) => left > 0).map(({ place }) => place)
  }

  readonly dies = ({ key, when }: FaultPoint): boolean => {
    const name = `${when} ${key}`
    const nth = this.#seen.get(name) ?? 0
    this.#seen.set(name, nth + 1)
    this.passed.push({ key, when, nth })
    this.#watch({ key, when })
    const due = this.#planned.find(
      ({ place, left }) => left > 0 && place.key === key && place.when === when && nth >= place.nth,
    )
    if (!due) return false
    due.left--
    this.deaths++
    return true
  }
}

export function toText({ key, when, nth }: FaultLocation): string {
  return `${when} ${key}${nth === 0 ? '' : ` (#${nth + 1})`}`
}
