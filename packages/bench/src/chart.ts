import type { Row } from './figures.js'

/** Bars of some rows, one group a row: CPU against the loop by hand, which is 1. */
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
    '<title>CPU against a loop written by hand</title>',
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
/** Longer bars are cut, and say so by their figure. */
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
