import type { Measure } from './measure.js'
import type { Outcome } from './rounds.js'

/** A figure of each peer: the median of its rounds. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly unit: 'x' | 'MiB' | 'ms' | 'kB'
  readonly figures: Readonly<Record<string, number>>
  /** For ours. */
  readonly goal?: number
  readonly limit?: number
}

interface Bound {
  readonly what: string
  readonly goal?: number
  readonly limit?: number
}

const bounds: Readonly<Record<string, Bound>> = {
  'loop-20x1': { what: '20 steps, one call each', goal: 0.45, limit: 0.7 },
  'loop-20x8': { what: '8 calls a step', goal: 0.5, limit: 0.75 },
  'loop-20x1-20tools': { what: '20 tools registered', goal: 0.4, limit: 0.6 },
  'loop-20x1-stream': { what: 'streamed', goal: 0.55, limit: 0.8 },
  'text-2000': { what: 'an answer in 2,000 deltas', goal: 0.9, limit: 1.3 },
  'text-5000': { what: 'an answer in 5,000 deltas', goal: 0.9, limit: 1.3 },
  'text-20000': { what: 'an answer in 20,000 deltas', goal: 0.9, limit: 1.3 },
  'text-5000-each': { what: 'the same, one write a delta', goal: 0.9, limit: 1.1 },
  'args-2000': { what: 'arguments in 2,000 fragments', goal: 0.9, limit: 1.3 },
  'args-8000': { what: 'arguments in 8,000 fragments', goal: 0.9, limit: 1.3 },
  'args-20000': { what: 'arguments in 20,000 fragments', goal: 0.9, limit: 1.3 },
  'concurrent-1000x3': { what: '1,000 runs of 3 steps at once', goal: 0.55, limit: 0.8 },
  'long-400': { what: 'one run of 400 steps', goal: 0.3, limit: 0.5 },
  cold: { what: 'a fresh process, its first answer', goal: 1, limit: 1.2 },
}

interface Further extends Omit<Row, 'figures'> {
  figure(measure: Measure): number | undefined
}

const further: Readonly<Record<string, readonly Further[]>> = {
  'concurrent-1000x3': [
    {
      name: '... memory',
      what: 'growth of the resident memory',
      unit: 'MiB',
      goal: 120,
      limit: 180,
      figure: ({ grownMiB }) => grownMiB,
    },
    {
      name: '... delay',
      what: 'event loop, 99 % below',
      unit: 'ms',
      goal: 30,
      limit: 60,
      figure: ({ delayMs }) => delayMs,
    },
  ],
  'long-400': [
    {
      name: '... growth',
      what: 'a step at 400 against one at 20',
      unit: 'x',
      goal: 1.3,
      limit: 1.6,
      figure: ({ growth }) => growth,
    },
  ],
}

/** The rows of a scenario: CPU against raw, and what else is asked of it. */
export function rowsOf(outcome: Outcome): Row[] {
  const { name } = outcome.scenario
  const cpu: Row = { name, unit: 'x', ...(bounds[name] ?? { what: '' }), figures: ratios(outcome) }
  const others = further[name] ?? []
  return [cpu, ...others.map(({ figure, ...row }) => ({ ...row, figures: medians(outcome, figure) }))]
}

/** What a piece costs in a long answer against a short one: raw milliseconds, not ratios to another peer. */
export function perPiece(outcomes: readonly Outcome[], [short, long]: readonly [string, string]): Row[] {
  const [few, many] = [short, long].map((name) => outcomes.find(({ scenario }) => scenario.name === name))
  if (!few || !many) return []
  const costs = [few, many].map((outcome) =>
    medians(outcome, ({ cpuMs }) => cpuMs / (outcome.scenario.runs * piecesOf(outcome))),
  )
  const figures = Object.entries(costs[1] ?? {}).flatMap(([peer, cost]) => {
    const before = costs[0]?.[peer]
    return before === undefined ? [] : [[peer, cost / before] as const]
  })
  const isText = few.scenario.deltas > 1
  return [
    {
      name: `... ${isText ? 'text' : 'args'} ${long.split('-')[1]}/${short.split('-')[1]}`,
      what: `a piece of ${isText ? 'text' : 'arguments'}, against ${short.split('-')[1]}`,
      unit: 'x',
      figures: Object.fromEntries(figures),
      goal: 1.15,
      limit: 1.3,
    },
  ]
}

function piecesOf({ scenario }: Outcome): number {
  return Math.max(scenario.deltas, scenario.fragments)
}

function ratios({ rounds }: Outcome): Record<string, number> {
  return perPeer(rounds, (measures, peer) => {
    const [own, raw] = [measures[peer], measures.raw]
    return own && raw && own.cpuMs / raw.cpuMs
  })
}

function medians(
  { rounds }: Outcome,
  figure: (measure: Measure) => number | undefined,
): Record<string, number> {
  return perPeer(rounds, (measures, peer) => {
    const own = measures[peer]
    return own && figure(own)
  })
}

function perPeer(
  rounds: Outcome['rounds'],
  figure: (measures: Readonly<Record<string, Measure>>, peer: string) => number | undefined,
): Record<string, number> {
  const peers = [...new Set(rounds.flatMap((measures) => Object.keys(measures)))]
  return Object.fromEntries(
    peers.map((peer) => [peer, median(rounds.flatMap((measures) => figure(measures, peer) ?? []))]),
  )
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((one, other) => one - other)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2
}
