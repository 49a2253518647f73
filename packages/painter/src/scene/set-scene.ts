import { mix, toRgb } from '../color.js'
import { nounOf } from '../nouns/nouns.js'
import type { Place, Request, Weather } from '../prompt/request.js'
import { between, hashText, seededNoise, seededRandom } from '../random.js'
import { type Lamp, type Scene, skyColorsFor } from './scene.js'

/** Chooses the landscape for a request: the requested parts, and suitable ones for the rest. */
export function setScene(request: Request, size: { width: number; height: number }, seed: number): Scene {
  const { width, height } = size
  const random = seededRandom(seed)
  const unit = Math.min(width, height)
  const place = placeFor(request)
  const isAirless = place === 'space' || place === 'moon'
  const moonlit = isAirless || request.things.some(({ noun }) => noun.scenery === 'moon')
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
      // In the dark, things keep more of their colour than the land does.
      tint: mix(air.light, { r: 1, g: 1, b: 1 }, isAirless ? 1 : 0.3),
      side: lamp && lamp.x > width / 2 ? 1 : -1,
      night: time === 'night' || time === 'sunset',
      flat: request.style === 'minimal',
    },
    noise: seededNoise(hashText(request.text, seed)),
    random,
    seed,
  }
}

/** The row where the ground starts, as a share of the image's height. */
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
  moon: 0.62,
  underwater: 1.04,
  sky: 1.04,
  room: 0.66,
  plain: 0.7,
}

interface Rows {
  readonly horizon: number
  readonly height: number
}

/**
 * Returns the row at which the water ends: the horizon if there is no water, and the bottom if no near bank is needed.
 */
function bankFor({ things, place: asked, text }: Request, place: Place, { horizon, height }: Rows): number {
  const stands = things.some(({ noun }) => noun.home === 'land' && !noun.scenery)
  const floats = things.some(({ noun }) => noun.home === 'water')
  const near = Math.round(height - (height - horizon) * 0.4)
  if (place === 'beach') return near
  if (place === 'sea') return stands || asked === 'meadow' ? near : height
  if (place === 'city' && /\b(street|road|sidewalk|crossroads|traffic|parking lot|car park)/i.test(text))
    return floats ? near : horizon
  if (place === 'city' || place === 'mountains') return stands ? (floats ? near : horizon) : height
  return horizon
}

/** Returns the requested landscape, or one that suits the things in the request. */
function placeFor({ place, things, weather }: Request): Place {
  const floats = things.filter(({ noun }) => noun.home === 'water')
  const named = floats.map(({ noun }) => noun.words[0] ?? '')
  const onlyFish =
    named.some((name) => fishes.has(name)) && named.every((name) => fishes.has(name) || divers.has(name))
  if (onlyFish && (place === undefined || place === 'sea')) return 'underwater'
  // A boat in a meadow floats in front of the meadow's green bank.
  if (floats.length > 0 && (place === undefined || place === 'meadow')) return 'sea'
  const hasMountains = things.some(({ noun }) => noun.scenery === 'mountains')
  if (hasMountains && (place === undefined || amongMountains.has(place))) return 'mountains'
  if (place) return place
  if (weather.has('snow')) return 'snow'
  const fitting = things.map(({ noun }) => homes[noun.words[0] ?? '']).find((home) => home !== undefined)
  if (fitting) return fitting
  const inside = things.some(({ noun }) => noun.indoor === true)
  return inside && things.every(({ noun }) => noun.indoor) ? 'room' : 'meadow'
}

/** Places that a mountain landscape can also show, such as a mountain lake or a valley. */
export const amongMountains: ReadonlySet<Place> = new Set(['sea', 'snow', 'meadow', 'mountains'])

/** Things that live in water but do not float on it. */
const fishes = new Set(['fish', 'tropical fish', 'blowfish', 'octopus', 'squid', 'jellyfish', 'shrimp'])

/** Things that swim on the surface of the water, unless there are fish. */
const divers = new Set(['shark', 'whale', 'dolphin'])

const homes: Readonly<Record<string, Place>> = {
  snowman: 'snow',
  penguin: 'snow',
  cactus: 'desert',
  rocket: 'space',
  planet: 'space',
  'flying saucer': 'space',
  satellite: 'space',
  astronaut: 'space',
  camel: 'desert',
  dromedary: 'desert',
  scorpion: 'desert',
  'polar bear': 'snow',
  skier: 'snow',
  sled: 'snow',
  jellyfish: 'underwater',
  octopus: 'underwater',
  coral: 'underwater',
  shop: 'city',
  'traffic light': 'city',
  pyramid: 'desert',
  igloo: 'snow',
  starfish: 'beach',
  surfboard: 'beach',
}

type Sky = Pick<Scene, 'width' | 'unit' | 'place' | 'time' | 'horizon' | 'random'>

/** Returns a scene's sun or moon or, in space, a planet. Undefined in gloomy weather, unless it was requested. */
function lampFor({ things, weather }: Request, sky: Sky): Lamp | undefined {
  if (sky.place === 'moon') return undefined
  if (sky.place === 'space') {
    const moon = things.find(({ noun }) => noun.scenery === 'moon')?.noun
    if (moon) return { ...planetIn(sky), noun: moon, color: toRgb(moon.color) }
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
