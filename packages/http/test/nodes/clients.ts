import type { Cluster } from './cluster.js'
import { followRun } from './follow-run.js'

export interface Counts {
  readonly runs: number
  readonly events: number
  /** Runs that went on in another process. */
  readonly recovered: number
  readonly effects: number
  /** Runs that did not end as done. */
  readonly failures: readonly string[]
  /** What did not hold. */
  readonly faults: readonly string[]
}

/** Clients that start one run after another, and read each to its end. */
export class Clients {
  readonly #cluster: Cluster
  readonly #counts = { runs: 0, events: 0, recovered: 0, failures: [] as string[], faults: [] as string[] }
  readonly #all: Promise<unknown>
  #isOver = false

  constructor(cluster: Cluster, count: number) {
    this.#cluster = cluster
    this.#all = Promise.all(Array.from({ length: count }, () => this.#work()))
    this.#all.catch(() => {})
  }

  /** Lets the runs in progress end. */
  async end(): Promise<Counts> {
    this.#isOver = true
    await this.#all
    const effects = await this.#cluster.effects()
    const seen = new Set<string>()
    const twice = effects.filter((key) => seen.size === seen.add(key).size)
    const faults = [...this.#counts.faults, ...twice.map((key) => `effect ${key} came twice`)]
    return { ...this.#counts, effects: effects.length, faults }
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const followed = await followRun(this.#cluster.nodes)
      if (!followed) continue
      const { events, faults, failure } = followed
      this.#counts.runs += 1
      this.#counts.events += events.length
      if (events.some(({ event }) => event === 'run-recovered')) this.#counts.recovered += 1
      this.#counts.faults.push(...faults)
      if (failure !== undefined) this.#counts.failures.push(failure)
    }
  }
}

/** Prints the figures of a proof in one line, and the first of its faults and failures. */
export function printProof<Proof extends Pick<Counts, 'faults' | 'failures'>>(
  { faults, failures, ...counts }: Proof,
  { mayFail = false } = {},
): void {
  console.log(JSON.stringify({ ...counts, failures: failures.length, faults: faults.length }))
  for (const line of [...faults, ...failures].slice(0, 20)) console.error(line)
  if (faults.length > 0 || (failures.length > 0 && !mayFail)) process.exitCode = 1
}
