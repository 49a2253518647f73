import { type Hex, mix, type Rgb, scaled, toRgb } from '../color.js'
import type { Noun } from '../nouns/part.js'
import type { Adjective, Meaning, Scenic } from './dictionary.js'
import { joinPlaces } from './join-places.js'
import type { Aspect, Heard, Named, Place, Request, Side, Time, Tone, Wanted, Weather } from './request.js'

import type { Held, Value, Waiting } from './waiting.js'

/** No picture has room for more. */
const mostThings = 40

/** Collects meanings in the order they are read; adjectives wait for the noun or weather they belong to. */
export class PromptReader {
  private readonly things: Draft[] = []
  private readonly weather = new Map<Weather, number>()
  private readonly tones = new Set<Tone>()
  private heard: readonly Heard[] = []
  private place: Place | undefined
  private time: Time | undefined
  private sky: Named | undefined
  private color: Named | undefined
  /** The sky was named last, and has no colour yet. */
  private skyWaits = false
  private waiting: Waiting = {}

  take(phrase: string, meanings: readonly Meaning[]): void {
    // "clouds" is weather, but "three clouds" are things.
    const counted = this.waiting.count ? meanings.find(({ kind }) => kind === 'thing') : undefined
    const meaning = counted ?? meanings[0]
    if (!meaning) return
    if (isAdjective(meaning)) this.wait(phrase, meaning)
    else if (meaning.kind === 'unit' || this.waiting.not) this.waiting = {}
    else if (meaning.kind === 'thing') this.takeThing(phrase, meaning.noun, meaning.many)
    else this.takeScenic(phrase, meaning)
  }

  /**
   * Ends a phrase: a colour that met no thing goes to the thing or sky before it, or else to the picture. The end of a
   * sentence or clause also ends a "not"; an article does not.
   */
  settle({ ended }: { ended: boolean }): void {
    const { color, side, not } = this.waiting
    const last = this.things.at(-1)
    if (color && this.skyWaits) {
      this.sky = color.value
      this.skyWaits = false
      this.hear(color.word, 'sky')
    } else if (color && last && !last.color) {
      last.color = color.value
      this.hear(color.word, 'things')
    } else if (color) {
      this.color = color.value
      this.hear(color.word, 'color')
    }
    this.waiting = { ...(side && { side }), ...(not && !ended && { not }) }
  }

  found(): Omit<Request, 'text'> {
    return {
      things: this.things,
      weather: this.weather,
      tones: [...this.tones],
      heard: this.heard,
      ...(this.place && { place: this.place }),
      ...(this.time && { time: this.time }),
      ...(this.sky && { sky: this.sky }),
      ...(this.color && { color: this.color }),
    }
  }

  private wait(phrase: string, meaning: Adjective): void {
    const { waiting } = this
    if (meaning.kind === 'count') waiting.count = { word: phrase, value: Math.min(12, meaning.count) }
    else if (meaning.kind === 'size') waiting.size = { word: phrase, value: meaning.factor }
    else if (meaning.kind === 'degree') waiting.degree = { word: phrase, value: meaning }
    else if (meaning.kind === 'color') waiting.color ??= this.toColor(phrase, meaning.color)
    else if (meaning.kind === 'side') this.takeSide(phrase, meaning.side)
    else this.waiting = { not: true }
  }

  private toColor(phrase: string, hex: Hex): Held<Named> {
    const { degree } = this.waiting
    if (!degree) return { word: phrase, value: { word: phrase, rgb: toRgb(hex) } }
    const word = `${degree.word} ${phrase}`
    return { word, value: { word, rgb: brightened(toRgb(hex), degree.value.brightness) } }
  }

  private takeSide(phrase: string, side: Side): void {
    const last = this.things.at(-1)
    if (last && !last.side) {
      last.side = side
      this.hear(phrase, 'things')
    } else this.waiting.side = { word: phrase, value: side }
  }

  private takeScenic(phrase: string, meaning: Scenic): void {
    if (meaning.kind === 'place') this.takePlace(meaning.place)
    else if (meaning.kind === 'time') this.time = meaning.time
    else if (meaning.kind === 'tones') this.tones.add(meaning.tone)
    else if (meaning.kind === 'weather')
      this.weather.set(meaning.weather, this.used('degree', 'weather')?.factor ?? 1)
    else this.takeSky()
    this.hear(phrase, meaning.kind)
    this.waiting = {}
  }

  private takePlace(place: Place): void {
    const joined = joinPlaces(this.place ?? place, place)
    if (!joined.both) this.heard = this.heard.filter(({ about }) => about !== 'place')
    if ((this.place === 'snow' || place === 'snow') && joined.place !== 'snow') this.weather.set('snow', 0.7)
    this.place = joined.place
  }

  private takeSky(): void {
    const color = this.used('color', 'sky')
    this.sky = color ?? this.sky
    this.skyWaits = !color
  }

  private takeThing(phrase: string, noun: Noun, many: boolean): void {
    const room = mostThings - this.things.reduce((sum, thing) => sum + thing.count, 0)
    const count = Math.min(room, this.used('count', 'things') ?? (many ? 3 : 1))
    const size = this.used('size', 'things') ?? 1
    // Mountains and rainbows have their own colours, so another one would be promised and not shown.
    const fixed = noun.scenery === 'mountains' || noun.scenery === 'rainbow'
    const color = fixed ? undefined : this.used('color', 'things')
    const side = this.used('side', 'things')
    this.skyWaits = false
    if (count > 0) this.things.push({ noun, count, size, ...(color && { color }), ...(side && { side }) })
    this.hear(phrase, 'things')
    this.waiting = {}
  }

  /** The value of a waiting adjective, which thereby counts as understood. */
  private used<K extends 'count' | 'size' | 'degree' | 'color' | 'side'>(
    kind: K,
    about: Aspect,
  ): Value<K> | undefined {
    const adjective = this.waiting[kind]
    if (adjective) this.hear(adjective.word, about)
    return adjective?.value as Value<K> | undefined
  }

  private hear(words: string, about: Aspect): void {
    this.heard = [...this.heard, { words, about }]
  }
}

type Draft = { -readonly [K in keyof Wanted]: Wanted[K] }

function isAdjective(meaning: Meaning): meaning is Adjective {
  return ['color', 'count', 'size', 'degree', 'side', 'not'].includes(meaning.kind)
}

function brightened(color: Rgb, by: number): Rgb {
  return by > 0 ? mix(color, { r: 1, g: 1, b: 1 }, by) : scaled(color, 1 + by)
}
