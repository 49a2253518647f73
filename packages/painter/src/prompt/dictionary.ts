import type { Hex } from '../color.js'
import { bodyNouns, drawnNouns } from '../drawings/drawn-nouns.js'
import { isLibraryInstalled } from '../drawings/library.js'
import { nouns } from '../nouns/nouns.js'
import type { Noun } from '../nouns/part.js'
import type { Place, Relation, Side, Style, Time, Tone, Weather } from './request.js'
import {
  colors,
  companies,
  counts,
  degrees,
  places,
  refusals,
  relations,
  sides,
  sizes,
  styles,
  times,
  tones,
  units,
  weathers,
} from './words.js'

/** The meaning of a word or phrase. */
export type Meaning = Thing | Scenic | Adjective | Placing | { readonly kind: 'unit' }

interface Thing {
  readonly kind: 'thing'
  readonly noun: Noun
  readonly many: boolean
}

/** Applies to the entire image. */
export type Scenic =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'time'; readonly time: Time }
  | { readonly kind: 'weather'; readonly weather: Weather }
  | { readonly kind: 'tones'; readonly tone: Tone }
  | { readonly kind: 'style'; readonly style: Style }
  | { readonly kind: 'sky' }

/** Applies to the things on both sides of the word. */
export interface Placing {
  readonly kind: 'relation'
  readonly relation: Relation
  /**
   * Whether the word means more than a position. For example, "eating" is shown as "beside", and does not count as
   * understood.
   */
  readonly rough?: boolean
  /** Whether the thing before the word carries the thing after it, as in "wearing" and "a basket of". */
  readonly turned?: boolean
}

/** Applies to the next noun. */
export type Adjective =
  | { readonly kind: 'color'; readonly color: Hex }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'size'; readonly factor: number }
  | { readonly kind: 'degree'; readonly factor: number; readonly brightness: number }
  | { readonly kind: 'side'; readonly side: Side }
  | { readonly kind: 'not' }

/**
 * Returns the meanings of a phrase. The phrase must be in lower case with single spaces. Empty for an unknown phrase.
 */
export function meaningsOf(phrase: string): readonly Meaning[] {
  return dictionary.get(phrase) ?? []
}

/** The length of the longest phrase, in words. */
export const longestPhrase = 5

const irregular: Readonly<Record<string, string>> = {
  child: 'children',
  mouse: 'mice',
  foot: 'feet',
  tooth: 'teeth',
  wolf: 'wolves',
  leaf: 'leaves',
  loaf: 'loaves',
  knife: 'knives',
  shelf: 'shelves',
  scarf: 'scarves',
  elf: 'elves',
  potato: 'potatoes',
  tomato: 'tomatoes',
  mango: 'mangoes',
  hero: 'heroes',
  volcano: 'volcanoes',
  ox: 'oxen',
  deer: 'deer',
  sheep: 'sheep',
  reindeer: 'reindeer',
  moose: 'moose',
  squid: 'squid',
  shrimp: 'shrimp',
  person: 'people',
  fish: 'fish',
  goldfish: 'goldfish',
  goose: 'geese',
  cacti: 'cacti',
  aircraft: 'aircraft',
  spacecraft: 'spacecraft',
}

const dictionary = toDictionary()

function toDictionary(): ReadonlyMap<string, readonly Meaning[]> {
  const found = new Map<string, Meaning[]>()
  const add = (phrase: string, meaning: Meaning): void => {
    found.set(phrase, [...(found.get(phrase) ?? []), meaning])
  }
  const addAll = <K extends string>(
    table: Readonly<Record<K, string>>,
    meaning: (key: K) => Meaning,
  ): void => {
    for (const key of Object.keys(table) as K[])
      for (const phrase of table[key].split(', ')) add(phrase, meaning(key))
  }
  addAll(places, (place) => ({ kind: 'place', place }))
  addAll(times, (time) => ({ kind: 'time', time }))
  addAll(weathers, (weather) => ({ kind: 'weather', weather }))
  addAll(tones, (tone) => ({ kind: 'tones', tone }))
  addAll(styles, (style) => ({ kind: 'style', style }))
  addAll(relations, (relation) => ({ kind: 'relation', relation }))
  for (const word of companies) add(word, { kind: 'relation', relation: 'beside', rough: true })
  add('wearing', { kind: 'relation', relation: 'on', turned: true })
  addAll(sides, (side) => ({ kind: 'side', side }))
  for (const [word, color] of Object.entries(colors)) add(word, { kind: 'color', color })
  for (const [word, count] of Object.entries(counts)) add(word, { kind: 'count', count })
  for (const [word, factor] of Object.entries(sizes)) add(word, { kind: 'size', factor })
  for (const [word, [factor, brightness]] of Object.entries(degrees))
    add(word, { kind: 'degree', factor, brightness })
  for (const word of units) add(word, { kind: 'unit' })
  for (const word of refusals) add(word, { kind: 'not' })
  add('sky', { kind: 'sky' })
  const names = named()
  for (const [word, noun] of names) {
    add(word, { kind: 'thing', noun, many: false })
    // "Glasses" are worn, and are not several drinking glasses.
    const several = pluralOf(word)
    if (!isPlural(word) && !names.has(several)) add(several, { kind: 'thing', noun, many: true })
  }
  return found
}

/**
 * Returns all things by name. A drawing of the thing itself takes precedence over the painter's own drawing of
 * something similar.
 */
function named(): Map<string, Noun> {
  const library = isLibraryInstalled() ? [...drawnNouns, ...bodyNouns] : []
  const own = nouns.map((noun) => [noun.words[0] ?? '', noun] as const)
  const entries = (from: readonly Noun[]) =>
    from.flatMap((noun) => noun.words.map((word) => [word, noun] as const))
  return new Map([...entries(nouns), ...entries(library), ...own])
}

/** Whether a name is a plural, or has the same form in the plural. */
function isPlural(word: string): boolean {
  return pluralOf(word) === word || isPairLike(word)
}

/** Whether the name of one thing has the form of a plural, such as scissors and trousers. */
export function isPairLike(word: string): boolean {
  return /[^su]s$/.test(word) && !/(is|as|ens)$/.test(word)
}

/** Returns the plural of an English noun. In a phrase, the last word changes, but in "cup of tea" the first. */
export function pluralOf(noun: string): string {
  const [, head = '', rest] = /^(.*?)( of .*)$/.exec(noun) ?? []
  if (rest) return pluralOf(head) + rest
  const [, before = '', last = ''] = /^(.* )?(.*)$/.exec(noun) ?? []
  return before + pluralWord(last)
}

function pluralWord(word: string): string {
  const known = irregular[word]
  if (known) return known
  if (/(^|wo)man$/.test(word)) return word.replace(/man$/, 'men')
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}
