import type { Measure } from './peer.js'
import type { Outcome } from './rounds.js'

/** One figure per peer, the median over its rounds. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly unit: 'x' | 'MiB' | 'ms' | 'kB'
  readonly figures: Readonly<Record<string, number>>
  /** Goal and limit for ours. */
  readonly goal?: number
  readonly limit?: number
}

interface RowLimits {
  readonly what: string
  readonly goal?: number
  readonly limit?: number
}

const limits: Readonly<Record<string, RowLimits>> = {
  'loop-20x1': { what: '20 steps, one call per step', goal: 0.45, limit: 0.7 },
  'loop-20x8': { what: '8 calls per step', goal: 0.5, limit: 0.75 },
  'loop-20x1-20tools': { what: '20 tools registered', goal: 0.4, limit: 0.6 },
  'loop-20x1-stream': { what: 'streamed', goal: 0.55, limit: 0.8 },
  'text-2000': { what: 'a reply in 2,000 deltas', goal: 0.9, limit: 1.3 },
  'text-5000': { what: 'a reply in 5,000 deltas', goal: 0.9, limit: 1.3 },
  'text-20000': { what: 'a reply in 20,000 deltas', goal: 0.9, limit: 1.3 },
  'text-5000-each': { what: 'the same, one write per delta', goal: 0.9, limit: 1.1 },
  'args-2000': { what: 'arguments in 2,000 fragments', goal: 0.9, limit: 1.3 },
  'args-8000': { what: 'arguments in 8,000 fragments', goal: 0.9, limit: 1.3 },
  'args-20000': { what: 'arguments in 20,000 fragments', goal: 0.9, limit: 1.3 },
  'concurrent-1000x3': { what: '1,000 concurrent runs of 3 steps', goal: 0.55, limit: 0.8 },
  'long-400': { what: 'one run of 400 steps', goal: 0.3, limit: 0.5 },
  cold: { what: 'a fresh process, its first reply', goal: 1, limit: 1.2 },
}

interface ExtraRow extends Omit<Row, 'figures'> {
  figure(measure: Measure): number | undefined
}

const extraRows: Readonly<Record<string, readonly ExtraRow[]>> = {
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
      what: 'event loop delay, 99th percentile',
      unit: 'ms',
      goal: 30,
      limit: 60,
      figure: ({ delayMs }) => delayMs,
    },
  ],
  'long-400': [
    {
      name: '... growth',
      what: 'a step at 400 relative to one at 20',
      unit: 'x',
      goal: 1.3,
      limit: 1.6,
      figure: ({ growth }) => growth,
    },
  ],
}

/** Returns the rows of a scenario: CPU relative to raw, then its extra rows. */
export function rowsOf(outcome: Outcome): Row[] {
  const { name } = outcome.scenario
  const cpu: Row = { name, unit: 'x', ...(limits[name] ?? { what: '' }), figures: ratios(outcome) }
  const others = extraRows[name] ?? []
  return [cpu, ...others.map(({ figure, ...row }) => ({ ...row, figures: medians(outcome, figure) }))]
}

/** Compares the cost of a chunk in a long reply with that in a short one. Uses milliseconds, not ratios to another peer. */
export function growthRows(outcomes: readonly Outcome[], [short, long]: readonly [string, string]): Row[] {
  const [few, many] = [short, long].map((name) => outcomes.find(({ scenario }) => scenario.name === name))
  if (!few || !many) return []
  const costs = [few, many].map((outcome) =>
    medians(outcome, ({ cpuMs }) => cpuMs / (outcome.scenario.runs * chunksOf(outcome))),
  )
  const figures = Object.entries(costs[1] ?? {}).flatMap(([peer, cost]) => {
    const before = costs[0]?.[peer]
    return before === undefined ? [] : [[peer, cost / before] as const]
  })
  const isText = few.scenario.deltas > 1
  return [
    {
      name: `... ${isText ? 'text' : 'args'} ${long.split('-')[1]}/${short.split('-')[1]}`,
      what: `a chunk of ${isText ? 'text' : 'arguments'}, relative to ${short.split('-')[1]}`,
      unit: 'x',
      figures: Object.fromEntries(figures),
      goal: 1.15,
      limit: 1.3,
    },
  ]
}

function chunksOf({ scenario }: Outcome): number {
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

function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((one, other) => one - other)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2
}

/** Formats the rows as a table for a terminal. Marks a figure of ours above its limit with `!`, above its goal with `~`. */
export function toTable(rows: readonly Row[], peers: readonly string[]): string {
  const head = ['scenario', 'unit', ...peers, 'goal', 'limit']
  const lines = rows.map((row) => [
    row.name,
    row.unit,
    ...peers.map((peer) => `${formatFigure(row.figures[peer], row)}${peer === 'ours' ? mark(row) : ''}`),
    formatFigure(row.goal, row),
    formatFigure(row.limit, row),
  ])
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  )
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

function formatFigure(figure: number | undefined, { unit }: Row): string {
  if (figure === undefined || Number.isNaN(figure)) return '-'
  return unit === 'x' ? figure.toFixed(2) : figure.toFixed(0)
}

function mark(row: Row): string {
  if (isOver(row)) return '!'
  const own = row.figures.ours
  return own !== undefined && row.goal !== undefined && own > row.goal ? '~' : ' '
}

/** Whether ours is above its limit. */
export function isOver({ figures: { ours }, limit }: Row): boolean {
  return ours !== undefined && limit !== undefined && ours > limit
}

/** Draws some rows as bars: CPU relative to the loop written by hand, which is 1. */
export function toChart(rows: readonly Row[]): string {
  const shown = rows.filter(({ name }) => groups.includes(name))
  const bars = shown.flatMap(({ figures }) => Object.keys(figures))
  const height = shown.length * (groupGap + 18) + bars.length * barHeight + 30
  let y = 10
  const parts = shown.map((row) => {
    const group = toGroup(row, y)
    y += groupGap + 18 + Object.keys(row.figures).length * barHeight
    return group
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>CPU relative to a loop written by hand</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const groups = [
  'loop-20x1',
  'loop-20x8',
  'loop-20x1-stream',
  'text-5000',
  'concurrent-1000x3',
  'long-400',
  'cold',
]
const width = 760
const left = 120
const barHeight = 16
const groupGap = 16
/** Longer bars are cut at this figure; the label shows the real one. */
const most = 7

function toGroup({ name, what, figures }: Row, top: number): string {
  const scale = (width - left - 60) / most
  const one = left + scale
  const bars = Object.entries(figures).map(([peer, figure], index) => {
    const y = top + 18 + index * barHeight
    const length = Math.min(figure, most) * scale
    return [
      `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${peer}</text>`,
      `<rect x="${left}" y="${y + 2}" width="${length.toFixed(1)}" height="${barHeight - 4}" fill="${peer === 'ours' ? '#1f6feb' : '#b8bec6'}"/>`,
      `<text x="${(left + length + 6).toFixed(1)}" y="${y + 12}">${figure.toFixed(2)}</text>`,
    ].join('')
  })
  const bottom = top + 18 + bars.length * barHeight
  const line = `<line x1="${one}" x2="${one}" y1="${top + 16}" y2="${bottom}" stroke="#24292f" stroke-dasharray="2 3"/>`
  return [`<text x="${left}" y="${top + 12}" font-weight="bold">${name}: ${what}</text>`, ...bars, line].join(
    '\n',
  )
}
