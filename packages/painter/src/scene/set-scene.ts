import { mix } from '../color.js'
import { seededNoise } from '../noise.js'
import type { Place, Request } from '../prompt/request.js'
import { between, hashText, seededRandom } from '../random.js'
import { lampFor } from './lamp-for.js'
import { placeFor } from './place-for.js'
import type { Scene } from './scene.js'
import { skyColorsFor } from './sky-colors.js'

/** Chooses the landscape for a request: what was asked for, and for the rest what goes with it. */
export function setScene(request: Request, size: { width: number; height: number }, seed: number): Scene {
  const { width, height } = size
  const random = seededRandom(seed)
  const unit = Math.min(width, height)
  const place = placeFor(request)
  const moonlit = place === 'space' || request.things.some(({ noun }) => noun.scenery === 'moon')
  const time = request.time ?? (moonlit ? 'night' : 'day')
  const air = skyColorsFor({ ...request, time })
  const horizon = Math.round(height * (horizons[place] + between(random, -0.04, 0.04)))
  const rainbow = request.things.find(({ noun }) => noun.scenery === 'rainbow')?.noun
  const lamp = lampFor(request, { width, unit, place, time, horizon, random })
  return {
    width,
    height,
    unit,
    place,
    time,
    weather: request.weather,
    air,
    horizon: Math.min(height, horizon),
    bank: bankFor(request, place, { horizon, height }),
    ...(lamp && { lamp }),
    ...(rainbow && { rainbow }),
    light: {
      // Things keep more of their colour in the dark than the land does.
      tint: mix(air.light, { r: 1, g: 1, b: 1 }, place === 'space' ? 1 : 0.3),
      side: lamp && lamp.x > width / 2 ? 1 : -1,
      night: time === 'night' || time === 'sunset',
      flat: request.style === 'minimal',
    },
    noise: seededNoise(hashText(request.text, seed)),
    random,
  }
}

/** Where the ground begins, as a share of the height. */
const horizons: Readonly<Record<Place, number>> = {
  meadow: 0.6,
  sea: 0.58,
  beach: 0.54,
  snow: 0.58,
  desert: 0.6,
  city: 0.7,
  forest: 0.6,
  mountains: 0.68,
  space: 1.04,
  underwater: 1.04,
  sky: 1.04,
  room: 0.66,
  plain: 0.7,
}

interface Rows {
  readonly horizon: number
  readonly height: number
}

/** The row down to which water reaches: the horizon for none, the bottom when nothing needs a near bank. */
function bankFor({ things, place: asked }: Request, place: Place, { horizon, height }: Rows): number {
  const stands = things.some(({ noun }) => noun.home === 'land' && !noun.scenery)
  const floats = things.some(({ noun }) => noun.home === 'water')
  const near = Math.round(height - (height - horizon) * 0.4)
  if (place === 'beach') return near
  if (place === 'sea') return stands || asked === 'meadow' ? near : height
  if (place === 'city' || place === 'mountains') return stands ? (floats ? near : horizon) : height
  return horizon
}
