import type { Row } from './figures.js'

/** The rows as a table for a terminal; a figure of ours above its limit is marked `!`, one above its goal `~`. */
export function toTable(rows: readonly Row[], peers: readonly string[]): string {
  const head = ['scenario', 'unit', ...peers, 'goal', 'limit']
  const lines = rows.map((row) => [
    row.name,
    row.unit,
    ...peers.map((peer) => `${toText(row.figures[peer], row)}${peer === 'ours' ? mark(row) : ''}`),
    toText(row.goal, row),
    toText(row.limit, row),
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

function toText(figure: number | undefined, { unit }: Row): string {
  if (figure === undefined || Number.isNaN(figure)) return '-'
  return unit === 'x' ? figure.toFixed(2) : figure.toFixed(0)
}

function mark(row: Row): string {
  if (isOver(row)) return '!'
  const own = row.figures.ours
  return own !== undefined && row.goal !== undefined && own > row.goal ? '~' : ' '
}

/** Whether ours is above what it may be. */
export function isOver({ figures: { ours }, limit }: Row): boolean {
  return ours !== undefined && limit !== undefined && ours > limit
}
