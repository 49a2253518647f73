import { type Area, type Canvas, shade } from '../canvas.js'
import { luma, type Rgb, toRgb, toward } from '../color.js'
import type { Inscription, Request } from '../prompt/request.js'
import { clamp } from '../ramp.js'
import type { PlacedThing } from '../scene/thing.js'
import { type PenLine, type Piece, toPenLine, writable } from './pen-strokes.js'

/** The maximum length in characters. Longer text would be unreadable, so it is cut. */
const longest = 120

/**
 * Writes the lettering of a request: on a sign if there is one, in the middle if the request contains nothing else, and
 * otherwise at the top.
 */
export function inscribe(
  canvas: Canvas,
  { inscription, things }: Request,
  stands: readonly PlacedThing[],
): void {
  if (!inscription) return
  const sign = stands.find(({ noun }) => noun.words[0] === 'sign')
  if (sign) write(canvas, inscription, { area: boardOf(sign), rim: false })
  else write(canvas, inscription, { area: things.length ? topOf(canvas) : middleOf(canvas), rim: true })
}

interface Board {
  readonly area: Area
  readonly rim: boolean
}

function write(canvas: Canvas, { text, color }: Inscription, { area, rim }: Board): void {
  const usual = toRgb(rim ? '#fffdf6' : '#3a2a20')
  const shown = text.length > longest ? `${text.slice(0, longest - 3)}...` : text
  writeText(canvas, shown, area, { color: color?.rgb ?? usual, rim })
}

/** Returns the area of a sign's board, inside its frame. */
function boardOf({ x, y, height }: PlacedThing): Area {
  return {
    left: x - height * 0.64,
    right: x + height * 0.64,
    top: y - height * 0.91,
    bottom: y - height * 0.45,
  }
}

function topOf({ width, height }: Canvas): Area {
  return { left: width * 0.06, right: width * 0.94, top: height * 0.03, bottom: height * 0.23 }
}

function middleOf({ width, height }: Canvas): Area {
  return { left: width * 0.07, right: width * 0.93, top: height * 0.22, bottom: height * 0.78 }
}

/** How to write the letters. */
interface Lettering {
  readonly color: Rgb
  /** Whether to draw a rim around each letter, for contrast with any background. */
  readonly rim: boolean
}

/**
 * The height of a line on the grid of the glyphs. The other numbers are the heights of the parts above and below the
 * letters.
 */
const lineHeight = 17
const [above, below] = [13, 3]

/** Writes text into an area, as large as possible, in as many lines as needed. */
export function writeText(canvas: Canvas, text: string, area: Area, lettering: Lettering): void {
  const { lines, scale } = fitted(text, area)
  const [wide, high] = [area.right - area.left, area.bottom - area.top]
  const top = area.top + (high - blockHeight(lines.length) * scale) / 2
  for (const [i, { pieces, width }] of lines.entries()) {
    const left = area.left + (wide - width * scale) / 2
    const base = top + (above + i * lineHeight) * scale
    const placed = pieces.map(
      ([x0, y0, x1, y1]): Piece => [
        left + x0 * scale,
        base - y0 * scale,
        left + x1 * scale,
        base - y1 * scale,
      ],
    )
    drawPieces(canvas, placed, { ...lettering, pen: Math.max(0.55, scale * 0.62) })
  }
}

function blockHeight(lines: number): number {
  return above + below + (lines - 1) * lineHeight
}

interface Fitted {
  readonly lines: readonly PenLine[]
  /** The number of pixels for one step on the grid. */
  readonly scale: number
}

/** Returns the line breaks that allow the largest letters. */
function fitted(text: string, area: Area): Fitted {
  const words = writable(text).split(' ').filter(Boolean)
  let best: Fitted = { lines: [], scale: 0 }
  for (let count = 1; count <= Math.min(8, words.length); count++) {
    const lines = broken(words, count).map(toPenLine)
    const widest = Math.max(1, ...lines.map(({ width }) => width))
    const scale = Math.min(
      (area.right - area.left) / (widest + 2),
      (area.bottom - area.top) / blockHeight(lines.length),
    )
    if (scale > best.scale * 1.05) best = { lines, scale }
  }
  return best
}

/** Splits words into lines of similar length. */
function broken(words: readonly string[], count: number): string[] {
  const most = words.join(' ').length / count
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    const full = last === undefined || (last.length + word.length / 2 > most && lines.length < count)
    if (full) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function drawPieces(
  canvas: Canvas,
  pieces: readonly Piece[],
  pen: Lettering & { readonly pen: number },
): void {
  const reach = pen.pen * 2.2 + 2
  const area = boundsOf(canvas, pieces, reach)
  const wide = area.right - area.left
  const away = new Float32Array(Math.max(0, wide * (area.bottom - area.top))).fill(reach)
  for (const piece of pieces) measure(away, piece, { area, reach })
  const rim = luma(pen.color) > 0.5 ? toRgb('#20242e') : toRgb('#fdfaf2')
  shade(canvas, area, (ink, x, y) => {
    const distance = away[(y - area.top) * wide + x - area.left] ?? reach
    if (pen.rim) toward(ink, rim, 0.8 * clamp(0.5 + (pen.pen * 2 - distance) / Math.max(1, pen.pen * 0.7)))
    toward(ink, pen.color, clamp(0.5 + pen.pen - distance))
  })
}

function boundsOf({ width, height }: Canvas, pieces: readonly Piece[], reach: number): Area {
  const bounds = { left: width, top: height, right: 0, bottom: 0 }
  for (const [x0, y0, x1, y1] of pieces) {
    bounds.left = Math.min(bounds.left, Math.floor(Math.min(x0, x1) - reach))
    bounds.right = Math.max(bounds.right, Math.ceil(Math.max(x0, x1) + reach))
    bounds.top = Math.min(bounds.top, Math.floor(Math.min(y0, y1) - reach))
    bounds.bottom = Math.max(bounds.bottom, Math.ceil(Math.max(y0, y1) + reach))
  }
  return {
    left: Math.max(0, bounds.left),
    top: Math.max(0, bounds.top),
    right: Math.min(width, bounds.right),
    bottom: Math.min(height, bounds.bottom),
  }
}

/** Stores the distance of each pixel near a piece, unless a smaller one has been stored. */
function measure(
  away: Float32Array,
  [x0, y0, x1, y1]: Piece,
  { area, reach }: { area: Area; reach: number },
): void {
  const wide = area.right - area.left
  const [dx, dy] = [x1 - x0, y1 - y0]
  const perLength = 1 / Math.max(1e-9, dx * dx + dy * dy)
  const top = Math.max(area.top, Math.floor(Math.min(y0, y1) - reach))
  const bottom = Math.min(area.bottom, Math.ceil(Math.max(y0, y1) + reach))
  const left = Math.max(area.left, Math.floor(Math.min(x0, x1) - reach))
  const right = Math.min(area.right, Math.ceil(Math.max(x0, x1) + reach))
  for (let y = top; y < bottom; y++) {
    for (let x = left, i = (y - area.top) * wide + left - area.left; x < right; x++, i++) {
      const t = clamp(((x + 0.5 - x0) * dx + (y + 0.5 - y0) * dy) * perLength)
      const [ox, oy] = [x + 0.5 - x0 - t * dx, y + 0.5 - y0 - t * dy]
      away[i] = Math.min(away[i] ?? 0, Math.sqrt(ox * ox + oy * oy))
    }
  }
}
