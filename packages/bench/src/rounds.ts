import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Measure } from './peer.js'
import type { Scenario } from './scenarios.js'
import type { Tally } from './server.js'

/** The measurements of one scenario. Each round has one measure per peer. */
export interface Outcome {
  readonly scenario: Scenario
  readonly rounds: readonly Readonly<Record<string, Measure>>[]
  /** The reason for each peer that was excluded. */
  readonly excluded: Readonly<Record<string, string>>
}

/** Measures the peers in turn. The order rotates by one in each round. */
export async function runRounds(
  scenario: Scenario,
  { peers, count }: { readonly peers: readonly string[]; readonly count: number },
  { server, target }: { readonly server: Server; readonly target: Target },
): Promise<Outcome> {
  const excluded: Record<string, string> = {}
  const rounds: Record<string, Measure>[] = []
  const measurements = new Map(peers.map((peer) => [peer, measurementOf(peer, scenario, target)]))
  const measureTurn = async (peer: string, work: () => Promise<Measure>): Promise<Measure | undefined> => {
    if (excluded[peer] !== undefined) return undefined
    const measure = await work().catch((error: unknown) => {
      excluded[peer] = String(error)
    })
    const { calls, faults } = await server.tally()
    if (!measure) return undefined
    const why = measure.example ?? faults[0]
    if (measure.wrong > 0 || faults.length > 0) excluded[peer] = why ?? 'wrong text'
    else if (measure.ran !== calls) excluded[peer] = `${measure.ran} of ${calls} calls ran`
    return excluded[peer] === undefined ? measure : undefined
  }
  for (const [peer, { warmUp }] of measurements) if (warmUp) await measureTurn(peer, warmUp)
  for (let round = 0; round < Math.ceil(count * scenario.share); round++) {
    const measures: Record<string, Measure> = {}
    const at = round % peers.length
    for (const peer of [...peers.slice(at), ...peers.slice(0, at)]) {
      const measurement = measurements.get(peer)
      const measure = measurement && (await measureTurn(peer, measurement.repeat))
      if (measure) measures[peer] = measure
    }
    rounds.push(measures)
  }
  for (const { close } of measurements.values()) close()
  return { scenario, rounds, excluded }
}

interface Measurement {
  /** Compiles the code and opens the connections before anything is measured. */
  readonly warmUp?: () => Promise<Measure>
  repeat(): Promise<Measure>
  close(): void
}

function measurementOf(peer: string, scenario: Scenario, target: Target): Measurement {
  if (scenario.name === 'cold') return { repeat: () => startCold(peer, scenario, target), close() {} }
  if (scenario.atOnce > 1) return { repeat: () => repeatFresh(peer, scenario, target), close() {} }
  const worker = new Worker(peer, scenario, target)
  return {
    warmUp: () => worker.repeat(scenario.runs * warmUpFactor),
    repeat: () => worker.repeat(scenario.runs),
    close: () => worker.close(),
  }
}

/** Takes the memory figure from the first repetition, which has the peak, and all others from the second. */
async function repeatFresh(peer: string, scenario: Scenario, target: Target): Promise<Measure> {
  const worker = new Worker(peer, scenario, target)
  try {
    const warm = await worker.repeat(warmUpRuns)
    const first = await worker.repeat(scenario.runs)
    const second = await worker.repeat(scenario.runs)
    const { grownMiB } = first
    const ran = warm.ran + first.ran + second.ran
    const wrong = warm.wrong + first.wrong + second.wrong
    return { ...first, ...second, ran, wrong, ...(grownMiB === undefined ? {} : { grownMiB }) }
  } finally {
    worker.close()
  }
}

const warmUpRuns = 30
const warmUpFactor = 5

/** The Node program for the peers, and the address of the server. */
interface Target {
  readonly node: string
  readonly origin: string
}

interface Server {
  readonly origin: string
  /** The requests since the last tally. */
  tally(): Promise<Tally>
  close(): void
}

export async function startServer(node: string): Promise<Server> {
  const server = spawn(node, [fileOf('server')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [origin] = (await once(createInterface(server.stdout), 'line')) as [string]
  return {
    origin,
    tally: async () => (await fetch(`${origin}/tally`, { method: 'POST' })).json() as Promise<Tally>,
    close: () => server.kill(),
  }
}

/** A process that repeats one scenario with one peer on request. */
class Worker {
  readonly #child: ChildProcess
  readonly #ready: Promise<unknown>

  constructor(peer: string, scenario: Scenario, { node, origin }: Target) {
    this.#child = fork(fileOf('work'), [peer, scenario.name, origin], { execPath: node, execArgv: [] })
    this.#ready = this.#next()
    this.#ready.catch(() => {})
  }

  async repeat(runs: number): Promise<Measure> {
    await this.#ready
    this.#child.send({ runs })
    return (await this.#next()) as Measure
  }

  close(): void {
    this.#child.kill()
  }

  async #next(): Promise<unknown> {
    const ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`the process ended with ${code}`)
    })
    const [message] = await Promise.race([once(this.#child, 'message'), ended])
    return message
  }
}

/** Measures one conversation in a fresh process. */
async function startCold(peer: string, scenario: Scenario, { node, origin }: Target): Promise<Measure> {
  const { stdout } = await promisify(execFile)(node, [fileOf('cold'), peer, scenario.name, origin])
  return JSON.parse(stdout) as Measure
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url))
}
