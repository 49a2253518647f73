import { compareLines } from './compare-lines.js'
import { shorten, shortenPair } from './shorten.js'
import { type ValueLine, valueLines } from './value-lines.js'

/**
 * What differs between two values, line by line: `- ` is what was expected, `+ ` what was seen. Two lines around each
 * difference are shown, long ones shortened around it. `''` when nothing differs. The order of keys does not count,
 * and a key whose value is undefined is as none.
 */
export function diffOf(expected: unknown, seen: unknown): string {
  const lines = toLines(valueLines(expected), valueLines(seen))
  if (!lines.some(isChange)) return ''
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - context), at + context + 1).some(isChange))
  const blocks: Line[][] = []
  lines.forEach((line, at) => {
    if (!near[at]) return
    if (at === 0 || !near[at - 1]) blocks.push([])
    blocks.at(-1)?.push(line)
  })
  return ['- expected', '+ seen', ...bounded(blocks.flatMap(toBlock))].join('\n')
}

/** Lines alike that are shown around those that differ. */
const context = 2

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  readonly path: string
}

function isChange({ mark }: Line): boolean {
  return mark !== ' '
}

function toLines(expected: readonly ValueLine[], seen: readonly ValueLine[]): Line[] {
  const textsOf = (lines: readonly ValueLine[]) => lines.map(({ text }) => text)
  return compareLines(textsOf(expected), textsOf(seen)).flatMap(({ expected: row, seen: column }): Line[] => {
    const line = row === undefined ? seen[column ?? 0] : expected[row]
    const mark = row === undefined ? '+' : column === undefined ? '-' : ' '
    return line ? [{ mark, ...line }] : []
  })
}

/** One place with what differs there, under its path. */
function toBlock(lines: readonly Line[]): string[] {
  const path = lines.find(isChange)?.path ?? ''
  return [`@ ${path || 'the whole'}`, ...shortened(lines).map(({ mark, text }) => `${mark} ${text}`)]
}

/** What was expected and what was seen in its place are shortened as pairs. */
function shortened(lines: readonly Line[]): Line[] {
  const texts = lines.map(({ text }) => shorten(text))
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, '-')
    const added = runOf(lines, at + removed, '+')
    for (let one = 0; one < Math.min(removed, added); one++) {
      const [from, to] = [at + one, at + removed + one]
      const pair = shortenPair(lines[from]?.text ?? '', lines[to]?.text ?? '')
      texts.splice(from, 1, pair[0])
      texts.splice(to, 1, pair[1])
    }
    at += Math.max(1, removed + added)
  }
  return lines.map((line, at) => ({ ...line, text: texts[at] ?? '' }))
}

function runOf(lines: readonly Line[], from: number, mark: Line['mark']): number {
  const end = lines.findIndex((line, at) => at >= from && line.mark !== mark)
  return (end === -1 ? lines.length : end) - from
}

const mostLines = 100

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostLines) return lines
  return [...lines.slice(0, mostLines), `(and ${lines.length - mostLines} lines more)`]
}
