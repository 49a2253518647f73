import type { Area, Canvas } from '../canvas.js'
import { toRgb } from '../color.js'
import type { Inscription, Request } from '../prompt/request.js'
import type { Stand } from '../scene/stand.js'
import { writeText } from './write-text.js'

/** Longer texts are cut: they could not be read. */
const longest = 120

/** Writes a request's text: on its sign, in the middle when nothing else is asked for, otherwise at the top. */
export function inscribe(canvas: Canvas, { inscription, things }: Request, stands: readonly Stand[]): void {
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

/** The board of a sign, in from its frame. */
function boardOf({ x, y, height }: Stand): Area {
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
