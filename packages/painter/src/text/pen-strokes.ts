import { along } from '../ramp.js'
import { accents, glyphs } from './glyphs.js'

/** A straight piece of a stroke, from its start to its end. */
export type Piece = readonly [x0: number, y0: number, x1: number, y1: number]

/** A line of text as pieces of strokes, on the grid of the glyphs. */
export interface PenLine {
  readonly pieces: readonly Piece[]
  readonly width: number
}

const gap = 2.1
const space = 4

/** Returns the unsupported characters in text. */
export function unwritable(text: string): string[] {
  return [...new Set(plain(text))].filter((char) => char !== ' ' && !glyphs[char] && !accents[char])
}

/** Removes unsupported characters from text. */
export function writable(text: string): string {
  const missing = unwritable(text)
  return [...plain(text)].filter((char) => !missing.includes(char)).join('')
}

/** Converts one line of text to strokes. Omits unsupported characters. */
export function toPenLine(text: string): PenLine {
  const pieces: Piece[] = []
  let x = 0
  let letter = { left: 0, width: 0, top: 0 }
  const chars = [...plain(text)]
  for (const [i, char] of chars.entries()) {
    const accent = accents[char]
    if (char === ' ') x += space
    else if (accent)
      pieces.push(...moved(accent, letter.left + letter.width / 2, isBelow(char) ? 0 : letter.top))
    else if (glyphs[char]) {
      const glyph = withoutDot(char, chars[i + 1])
      letter = { left: x, width: widthOf(glyph), top: topOf(char) }
      pieces.push(...moved(glyph, x, 0))
      x += letter.width + gap
    }
  }
  return { pieces, width: Math.max(0, x - gap) }
}

/** Splits accents into separate characters, and replaces typographic marks with plain ones. */
function plain(text: string): string {
  return text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/[–—−]/g, '-')
    .replaceAll('…', '...')
    .replaceAll('æ', 'ae')
    .replaceAll('Æ', 'AE')
    .normalize('NFD')
}

function isBelow(accent: string): boolean {
  return accent === '\u0327' || accent === '\u0328'
}

function withoutDot(char: string, next = ''): string {
  const glyph = glyphs[char] ?? ''
  const dotted = (char === 'i' || char === 'j') && accents[next] && !isBelow(next)
  return dotted ? (glyph.split('|')[0] ?? '') : glyph
}

function topOf(char: string): number {
  return /[a-z]/.test(char) && !/[bdfhklt]/.test(char) ? 6.6 : 10
}

function widthOf(glyph: string): number {
  return Math.max(...glyph.split('|').flatMap((stroke) => pointsOf(stroke).map(([x]) => x)))
}

type Point = readonly [x: number, y: number]

function pointsOf(stroke: string): Point[] {
  return stroke
    .replace('~', '')
    .split(' ')
    .map((point) => point.split(',').map(Number) as [number, number])
}

function moved(glyph: string, dx: number, dy: number): Piece[] {
  return glyph.split('|').flatMap((stroke) => {
    const points = stroke.startsWith('~') ? smooth(pointsOf(stroke)) : pointsOf(stroke)
    return points.slice(1).map(([x, y], i): Piece => {
      const [x0, y0] = points[i] ?? [x, y]
      return [x0 + dx, y0 + dy, x + dx, y + dy]
    })
  })
}

/** Returns a curve through the points (Catmull and Rom). The curve is closed if the last point is the first one. */
function smooth(points: readonly Point[]): Point[] {
  const closed = String(points[0]) === String(points.at(-1))
  const count = points.length - 1
  const at = (i: number): Point =>
    points[closed ? (i + count) % count : Math.min(count, Math.max(0, i))] ?? [0, 0]
  const steps = 5
  return Array.from({ length: count * steps + 1 }, (_, step): Point => {
    const i = Math.floor(step / steps)
    const t = (step % steps) / steps
    const four = [at(i - 1), at(i), at(i + 1), at(i + 2)] as const
    return [along(four, 0, t), along(four, 1, t)]
  })
}
