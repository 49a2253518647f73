import { toRgb } from '../color.js'
import { nounOf } from '../nouns/nouns.js'
import type { Request, Weather } from '../prompt/request.js'
import { between } from '../random.js'
import type { Lamp, Scene } from './scene.js'

type Sky = Pick<Scene, 'width' | 'unit' | 'place' | 'time' | 'horizon' | 'random'>

/** The sun or moon of a scene, or a planet in space; none in gloomy weather, unless it was asked for. */
export function lampFor({ things, weather }: Request, sky: Sky): Lamp | undefined {
  if (sky.place === 'space') {
    return things.some(({ noun }) => noun.words[0] === 'planet') ? undefined : planetIn(sky)
  }
  const asked = things.find(({ noun }) => noun.scenery === 'sun' || noun.scenery === 'moon')
  if (!asked && (gloomy.some((kind) => weather.has(kind)) || sky.place === 'underwater')) return undefined
  const { width, horizon, unit, time, random } = sky
  const noun = asked?.noun ?? nounOf(time === 'night' ? 'moon' : 'sun')
  const low = time === 'sunset' || time === 'dawn'
  const high = Math.min(horizon * 0.34, unit * 0.24) + unit * between(random, -0.03, 0.03)
  return {
    noun,
    color: asked?.color?.rgb ?? toRgb(noun.color),
    x: width * (random() < 0.5 ? between(random, 0.2, 0.36) : between(random, 0.64, 0.8)),
    y: low ? horizon - unit * between(random, 0.08, 0.16) : high,
    size: unit * (asked ? 0.24 : low ? 0.19 : 0.14) * (asked?.size ?? 1),
  }
}

const gloomy: readonly Weather[] = ['rain', 'storm', 'snow', 'fog', 'clouds']

function planetIn({ width, horizon, unit, random }: Sky): Lamp {
  const noun = nounOf('planet')
  return {
    noun,
    color: toRgb(noun.color),
    x: width * (random() < 0.5 ? 0.2 : 0.8),
    y: horizon * between(random, 0.72, 0.85),
    size: unit * between(random, 0.26, 0.36),
  }
}
