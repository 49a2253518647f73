import { isPairLike, pluralOf } from './dictionary.js'
import type { Place, Relation, Request, Style, Time, Tone, Wanted, Weather } from './request.js'

/** Renders a request as one phrase, such as "a red sailboat at sunset". */
export function toCaption(request: Request): string {
  const things = toThings(request.things)
  const setting = toSetting(request)
  const text = request.inscription && `the text "${request.inscription.text}"`
  if (things || setting || text) {
    const subject = [things, text].filter(Boolean).join(' and ')
    return `${subject || 'a landscape'} ${setting}`.trim()
  }
  return request.color ? `abstract: ${request.color.word} colours` : 'abstract: no known words'
}

/** Returns the place, weather, time and tones, such as "in a city in the rain at night". Empty if there are none. */
export function toSetting({ place, sky, weather, time, tones: asked, style }: Request): string {
  const phrases = [
    place && places[place],
    sky && `under a ${sky.word} sky`,
    ...[...weather.keys()].map((kind) => weathers[kind]),
    time && times[time],
    ...asked.map((tone) => tones[tone]),
    style && styles[style],
  ]
  return phrases.filter((phrase) => phrase !== undefined).join(' ')
}

/** Returns the things, such as "three red balloons and a cat on a house". Empty if there are none. */
export function toThings(things: readonly Wanted[]): string {
  const told = new Set<number>()
  const named = things.map((_, i) => (told.has(i) ? undefined : tell(things, i, told)))
  return joined(named.flatMap((phrase) => phrase || []))
}

/** Whether edits have removed all of a thing. */
export function isHidden({ count, hidden = 0 }: Wanted): boolean {
  return hidden >= count
}

/** Returns a thing with its relation. Includes the related things that directly follow. */
function tell(things: readonly Wanted[], i: number, told: Set<number>): string {
  const thing = things[i]
  if (!thing || isHidden(thing)) return ''
  told.add(i)
  const { placed } = thing
  const seen = placed?.to.filter((to) => things[to] && !isHidden(things[to])) ?? []
  if (!placed || seen.length === 0) return toPhrase(thing)
  const others = seen.map((to) => {
    const other = things[to]
    return told.has(to) || to < i ? `the ${other?.noun.words[0]}` : tell(things, to, told)
  })
  return `${toPhrase(thing)} ${relations[placed.relation]} ${others.join(' and ')}`
}

function joined(phrases: readonly string[]): string {
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`
}

const relations: Readonly<Record<Relation, string>> = {
  on: 'on',
  under: 'under',
  above: 'above',
  behind: 'behind',
  front: 'in front of',
  left: 'to the left of',
  right: 'to the right of',
  beside: 'beside',
  between: 'between',
}

function toPhrase({ noun, count: all, hidden = 0, color, size, side }: Wanted): string {
  const count = all - hidden
  const one = noun.words[0] ?? ''
  const measure = size < 1 ? 'small' : size > 1 ? 'big' : ''
  const phrase = [measure, color?.word, count === 1 ? one : pluralOf(one)].filter(Boolean).join(' ')
  const only = one === 'sun' || one === 'moon'
  const article = only ? 'the' : /^[aeiou]/.test(phrase) ? 'an' : 'a'
  return [
    count === 1 ? (isPairLike(one) ? '' : article) : (numbers[count] ?? count),
    phrase,
    side && sides[side],
  ]
    .filter(Boolean)
    .join(' ')
}

const numbers = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]

const sides = {
  left: 'on the left',
  right: 'on the right',
  middle: 'in the middle',
  top: 'at the top',
  bottom: 'at the bottom',
} as const

const places: Readonly<Record<Place, string>> = {
  meadow: 'in a meadow',
  sea: 'by the water',
  beach: 'on a beach',
  snow: 'in a winter landscape',
  desert: 'in a desert',
  city: 'in a city',
  forest: 'in a forest',
  mountains: 'among mountains',
  space: 'in space',
  moon: 'on the moon',
  underwater: 'under water',
  sky: 'in the sky',
  room: 'in a room',
  plain: 'on a plain background',
}

const styles: Readonly<Record<Style, string>> = {
  watercolour: 'in watercolour',
  oil: 'as an oil painting',
  pixels: 'as pixel art',
  lines: 'as a line drawing',
  pencil: 'in pencil',
  cartoon: 'as a cartoon',
  minimal: 'in a minimalist style',
  poster: 'as a poster',
  mosaic: 'as a mosaic',
  neon: 'in neon',
  blueprint: 'as a blueprint',
}

const times: Readonly<Record<Time, string>> = {
  day: 'by day',
  dawn: 'at dawn',
  sunset: 'at sunset',
  night: 'at night',
}

const weathers: Readonly<Record<Weather, string>> = {
  clear: 'in fair weather',
  clouds: 'under clouds',
  rain: 'in the rain',
  snow: 'in falling snow',
  fog: 'in fog',
  storm: 'in a thunderstorm',
  wind: 'in the wind',
}

const tones: Readonly<Record<Tone, string>> = {
  darker: 'in dark tones',
  lighter: 'in light tones',
  warmer: 'in warm tones',
  cooler: 'in cool tones',
  monochrome: 'in black and white',
  sepia: 'in sepia',
  vivid: 'in vivid colours',
  pale: 'in pale colours',
  autumn: 'in autumn colours',
}
