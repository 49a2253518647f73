import { type Canvas, shade, wholeOf } from '../canvas.js'
import { gradientAt, lit, mix, type Rgb, toRgb, toward } from '../color.js'
import type { Place } from '../prompt/request.js'
import { ramp, wave } from '../ramp.js'
import { scramble } from '../random.js'
import type { Scene } from './scene.js'

/** A landscape of a few plain areas: a sky, a round sun or moon, one far shape and one near ground. */
export function paintFlat(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, air, lamp, place, random } = scene
  const sky = mix(gradientAt(air.stops, 0.72), { r: 1, g: 0.98, b: 0.94 }, 0.25)
  const { far, near, shape } = looks[place]
  const seen = (color: Rgb): Rgb => lit(color, mix(air.light, { r: 1, g: 1, b: 1 }, 0.3))
  const [farColor, nearColor] = [
    mix(seen(toRgb(far)), sky, 0.3),
    seen(toRgb(isLake(scene) ? '#5b9cc4' : near)),
  ]
  const shift = random()
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    toward(ink, sky, 1)
    if (lamp) {
      const away = Math.sqrt((x - lamp.x) * (x - lamp.x) + (y - lamp.y) * (y - lamp.y)) - lamp.size * 0.5
      toward(ink, mix(lamp.color, { r: 1, g: 1, b: 1 }, 0.25), ramp(0.8, -0.8, away))
    }
    const crest = horizon - shapes[shape](x / unit + shift * 7) * unit
    toward(ink, farColor, ramp(-0.7, 0.7, y - crest))
    const ground =
      place === 'sea' ? horizon : horizon + wave(x / width / 2 + shift) * unit * 0.025 + height * 0.05
    toward(ink, nearColor, ramp(-0.7, 0.7, y - ground))
  })
}

/** Mountains and cities have water before them, when nothing must stand there. */
function isLake({ place, bank, horizon }: Scene): boolean {
  return (place === 'mountains' || place === 'city') && bank > horizon
}

type Shape = 'hills' | 'peaks' | 'roofs' | 'none'

const shapes: Readonly<Record<Shape, (x: number) => number>> = {
  hills: (x) => 0.05 + 0.05 * wave(x * 0.9) + 0.03 * wave(x * 1.7),
  peaks: (x) => 0.06 + 0.3 * tooth(x * 1.3) + 0.06 * tooth(x * 3.1),
  roofs: (x) => 0.1 + 0.32 * block(Math.floor(x * 9)),
  none: () => -1,
}

function tooth(x: number): number {
  return 1 - Math.abs(2 * (x - Math.floor(x)) - 1)
}

function block(i: number): number {
  return scramble(i) / 4294967296
}

interface Look {
  readonly far: `#${string}`
  readonly near: `#${string}`
  readonly shape: Shape
}

const looks: Readonly<Record<Place, Look>> = {
  meadow: { far: '#8fb9a0', near: '#7fb56a', shape: 'hills' },
  sea: { far: '#4f8fb5', near: '#3f86b0', shape: 'none' },
  beach: { far: '#4f9cc0', near: '#ecd3a0', shape: 'none' },
  snow: { far: '#c3d3e2', near: '#f3f6fa', shape: 'hills' },
  desert: { far: '#d9a066', near: '#e8bf7a', shape: 'hills' },
  city: { far: '#7d88a3', near: '#9aa0ab', shape: 'roofs' },
  forest: { far: '#4f8a66', near: '#5f9a58', shape: 'peaks' },
  mountains: { far: '#7f8fb0', near: '#8fb58a', shape: 'peaks' },
  space: { far: '#1a1c3a', near: '#1a1c3a', shape: 'none' },
  underwater: { far: '#2f7fa5', near: '#2f7fa5', shape: 'none' },
  sky: { far: '#bcd6ea', near: '#bcd6ea', shape: 'none' },
  room: { far: '#e6d8c2', near: '#c39a6b', shape: 'none' },
  plain: { far: '#f1eee7', near: '#e4e0d6', shape: 'none' },
}
