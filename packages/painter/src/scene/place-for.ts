import type { Place, Request } from '../prompt/request.js'

/** The landscape for a request: the one asked for, or one in which its things are at home. */
export function placeFor({ place, things, weather }: Request): Place {
  const floats = things.filter(({ noun }) => noun.home === 'water')
  const onlyFish = floats.length > 0 && floats.every(({ noun }) => noun.words[0] === 'fish')
  if (onlyFish && (place === undefined || place === 'sea')) return 'underwater'
  // A boat in a meadow floats before its green bank.
  if (floats.length > 0 && (place === undefined || place === 'meadow')) return 'sea'
  if (place) return place
  if (things.some(({ noun }) => noun.scenery === 'mountains')) return 'mountains'
  if (weather.has('snow')) return 'snow'
  const fitting = things.map(({ noun }) => homes[noun.words[0] ?? '']).find((home) => home !== undefined)
  return fitting ?? 'meadow'
}

const homes: Readonly<Record<string, Place>> = {
  snowman: 'snow',
  penguin: 'snow',
  cactus: 'desert',
  rocket: 'space',
  planet: 'space',
}
