import type { Measure } from './measure.js'
import { type Server, type Site, startCold, Worker } from './processes.js'
import type { Scenario } from './scenarios.js'

/** What came of one scenario: by peer, one measure a round, each beside those of the others in that round. */
export interface Outcome {
  readonly scenario: Scenario
  readonly rounds: readonly Readonly<Record<string, Measure>>[]
  /** Why a peer is not among them. */
  readonly left: Readonly<Record<string, string>>
}

/** Lets the peers take turns, in an order that moves on by one each round. */
export async function playRounds(
  scenario: Scenario,
  { peers, count }: { readonly peers: readonly string[]; readonly count: number },
  { server, site }: { readonly server: Server; readonly site: Site },
): Promise<Outcome> {
  const left: Record<string, string> = {}
  const rounds: Record<string, Measure>[] = []
  const turns = new Map(peers.map((peer) => [peer, turnsOf(peer, scenario, site)]))
  const play = async (peer: string, turn: () => Promise<Measure>): Promise<Measure | undefined> => {
    if (left[peer] !== undefined) return undefined
    const measure = await turn().catch((error: unknown) => {
      left[peer] = String(error)
    })
    const { calls, faults } = await server.tally()
    if (!measure) return undefined
    const why = measure.example ?? faults[0]
    if (measure.wrong > 0 || faults.length > 0) left[peer] = why ?? 'wrong words'
    else if (measure.ran !== calls) left[peer] = `${measure.ran} tools ran, of ${calls} calls`
    return left[peer] === undefined ? measure : undefined
  }
  for (const [peer, { warmUp }] of turns) if (warmUp) await play(peer, warmUp)
  for (let round = 0; round < Math.ceil(count * scenario.share); round++) {
    const measures: Record<string, Measure> = {}
    const at = round % peers.length
    for (const peer of [...peers.slice(at), ...peers.slice(0, at)]) {
      const turn = turns.get(peer)
      const measure = turn && (await play(peer, turn.repeat))
      if (measure) measures[peer] = measure
    }
    rounds.push(measures)
  }
  for (const { close } of turns.values()) close()
  return { scenario, rounds, left }
}

interface Turns {
  /** Until code is compiled and connections are open. */
  readonly warmUp?: () => Promise<Measure>
  repeat(): Promise<Measure>
  close(): void
}

function turnsOf(peer: string, scenario: Scenario, site: Site): Turns {
  if (scenario.name === 'cold') return { repeat: () => startCold(peer, scenario, site), close() {} }
  if (scenario.atOnce > 1) return { repeat: () => repeatFresh(peer, scenario, site), close() {} }
  const worker = new Worker(peer, scenario, site)
  return {
    warmUp: () => worker.repeat(scenario.runs * warmingRounds),
    repeat: () => worker.repeat(scenario.runs),
    close: () => worker.close(),
  }
}

/** Memory has its peak the first time, and only then; what it costs is what it costs once the program has run for a while. */
async function repeatFresh(peer: string, scenario: Scenario, site: Site): Promise<Measure> {
  const worker = new Worker(peer, scenario, site)
  try {
    const warm = await worker.repeat(warming)
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

const warming = 30
const warmingRounds = 5
