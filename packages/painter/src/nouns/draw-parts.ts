import { type Canvas, shade } from '../canvas.js'
import { lit, mix, type Rgb, toRgb, toward } from '../color.js'
import { clamp, ramp } from '../ramp.js'
import { within } from './combine.js'
import type { Form } from './form.js'
import type { Fill, Part } from './part.js'
import { piecesOf, slopeStep, toLocal } from './pieces.js'
import type { Light, Stance } from './stance.js'

/** Draws a noun's parts with smooth edges and soft shading. */
export function drawParts(canvas: Canvas, parts: readonly Part[], stance: Stance): void {
  for (const part of parts) if (!part.nocturnal || stance.light.night) drawPart(canvas, part, stance)
}

function drawPart(canvas: Canvas, part: Part, stance: Stance): void {
  const { shines = false, on } = part
  const bulge = stance.light.flat ? 0 : (part.bulge ?? 0.08)
  const color = toSeen(part.fill, stance, shines)
  const glint = mix(color, { r: 1, g: 0.97, b: 0.86 }, 0.45)
  const shadow = lit(color, { r: 0.5, g: 0.48, b: 0.62 })
  const cover = toCover(part, stance)
  const local = toLocal(stance)
  const form = on ? within(part.form, on) : part.form

  for (const { area, piece, round } of piecesOf({ form, round: on ?? form }, stance, part.blur ?? 0)) {
    const facing = shines || bulge === 0 ? () => 0 : toFacing(round, bulge, stance)
    shade(canvas, area, (ink, px, py) => {
      const x = local.x(px, py)
      const y = local.y(py)
      const distance = piece.at(x, y)
      const covered = cover(distance)
      if (covered <= 0) return
      toward(ink, color, covered)
      const turned = facing(on ? round.at(x, y) : distance, x, y)
      toward(ink, turned > 0 ? glint : shadow, covered * Math.abs(turned))
    })
  }
}

/** The colour of a fill as it is seen from here: asked for, lit, and behind the haze. */
function toSeen(fill: Fill, { color, light }: Stance, shines: boolean): Rgb {
  const own = toOwn(fill, color, light)
  const seen = shines || (fill === 'window' && light.night) ? own : lit(own, light.tint)
  return light.haze ? mix(seen, light.haze.color, light.haze.amount) : seen
}

function toOwn(fill: Fill, main: Rgb, light: Light): Rgb {
  if (fill === 'main') return main
  if (fill === 'deep') return lit(main, { r: 0.8, g: 0.71, b: 0.66 })
  if (fill === 'pale') return mix(main, { r: 1, g: 0.98, b: 0.94 }, 0.4)
  if (fill === 'window') return light.night ? toRgb('#ffd978') : toRgb('#7fa8c4')
  return toRgb(fill)
}

/** How much a point is turned to the light (to 1) or away from it (to -1): full at the rim, none inside. */
function toFacing(
  form: Form,
  bulge: number,
  stance: Stance,
): (distance: number, x: number, y: number) => number {
  const dx = 0.62 * slopeStep * stance.light.side * (stance.mirrored ? -1 : 1)
  const dy = 0.78 * slopeStep
  return (distance, x, y) => {
    const rim = clamp(1 + distance / bulge)
    const turned = rim === 0 ? 0 : (rim * (form.at(x + dx, y + dy) - distance)) / slopeStep
    return turned > 0 ? turned * 0.8 : turned
  }
}

/** How much of a pixel a distance covers. */
function toCover({ blur = 0, alpha = 1 }: Part, stance: Stance): (distance: number) => number {
  const most = alpha * (stance.alpha ?? 1)
  if (blur > 0) return (distance) => ramp(blur, -blur, distance) * most
  return (distance) => clamp(0.5 - distance * stance.height) * most
}
