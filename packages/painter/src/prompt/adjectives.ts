import { type Hex, mix, type Rgb, scaled, toRgb } from '../color.js'
import type { Adjective, Meaning } from './dictionary.js'
import type { Named, Side } from './request.js'

/** The adjectives that apply to the next noun. */
export interface Waiting {
  count?: Held<number>
  size?: Held<number>
  degree?: Held<{ readonly factor: number; readonly brightness: number }>
  color?: Held<Named>
  side?: Held<Side>
  not?: boolean
}

/** A value, and its word in the prompt. */
interface Held<T> {
  readonly word: string
  readonly value: T
}

/** The value of one kind of adjective. */
export type Value<K extends keyof Waiting> = NonNullable<Waiting[K]> extends Held<infer T> ? T : never

/** The maximum number of things that one word can request. */
export const mostOfAKind = 12

export function isAdjective(meaning: Meaning): meaning is Adjective {
  return ['color', 'count', 'size', 'degree', 'side', 'not'].includes(meaning.kind)
}

/**
 * Adds an adjective for the next noun. A number above the maximum is reduced, and its word counts as not understood.
 */
export function addAdjective(
  waiting: Waiting,
  word: string,
  meaning: Exclude<Adjective, { readonly kind: 'side' | 'not' }>,
): void {
  if (meaning.kind === 'count')
    waiting.count =
      meaning.count > mostOfAKind ? { word: '', value: mostOfAKind } : { word, value: meaning.count }
  else if (meaning.kind === 'size') waiting.size = { word, value: meaning.factor }
  else if (meaning.kind === 'degree') waiting.degree = { word, value: meaning }
  else waiting.color ??= toColor(waiting, word, meaning.color)
}

function toColor({ degree }: Waiting, color: string, hex: Hex): Held<Named> {
  if (!degree) return { word: color, value: { word: color, rgb: toRgb(hex) } }
  const word = `${degree.word} ${color}`
  return { word, value: { word, rgb: brightened(toRgb(hex), degree.value.brightness) } }
}

function brightened(color: Rgb, by: number): Rgb {
  return by > 0 ? mix(color, { r: 1, g: 1, b: 1 }, by) : scaled(color, 1 + by)
}
