import { type Reading, readingsOf, toLower } from './escapes.js'

/** From a place in a text to the one behind its last character. */
export type Span = readonly [from: number, to: number]

/** A way to write a secret, in lower case. */
export interface Spelling {
  readonly text: string
  /** Of so many characters on, its beginning and its end are hidden as well: excerpts are cut anywhere. */
  readonly part: number
}

/** The ways to write a secret that are no escape: itself, itself in hex, and itself inside any base64. `isWhole`: no part of it counts. */
export function spellingsOf(secret: string, isWhole: boolean): readonly Spelling[] {
  const inAddress = /[^\x20-\x7e]/.test(secret) ? [encodeURIComponent(secret.toWellFormed())] : []
  const texts = [secret, ...inAddress, ...inBase64(secret), inHex(secret)].map(toLower)
  return [...new Set(texts)].map((text) => ({ text, part: isWhole ? text.length : partOf(text) }))
}

function partOf({ length }: string): number {
  return length > 16 ? 8 : Math.min(length, 12)
}

function inHex(secret: string): string {
  return Array.from(new TextEncoder().encode(secret), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Its base64 depends on how many bytes stand before it; what depends on its neighbours is left out. */
function inBase64(secret: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('')
  const texts = [0, 1, 2].map((before) => {
    const whole = btoa('\0'.repeat(before) + bytes)
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [...texts, ...texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** Where a text says one of these, in any case and however escaped, whole or cut. Spans may overlap. */
export function spansOf(text: string, spellings: readonly Spelling[]): readonly Span[] {
  const shaped = [...text.matchAll(keyShape)].map(({ index, 0: { length } }): Span => [index, index + length])
  const said = readingsOf(text).flatMap((reading) =>
    spellings.filter((one) => isIn(one, reading)).flatMap((spelling) => [...found(spelling, reading)]),
  )
  return [...shaped, ...said]
}

/** What looks like a key is one, whoever sent it: a given `fetch` may add keys that nobody here sees. */
const keyShape = new RegExp(
  [
    String.raw`\b(?:[spr]k-|(?:gsk|xai|hf|nvapi|gh[oprsu]|github_pat|glpat|xox[a-z])[-_])[\w-]{14,}`,
    // Tables, indexes and settings have names that begin so.
    String.raw`\b(?:[spr]k_|npm_|pypi-)(?=[\w-]{0,80}\d)[\w-]{14,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z\d]{16}\b`,
    String.raw`\bAIza[\w-]{20,}`,
    String.raw`\b(?:ya29\.|GOCSPX-|do[opr]_v1_|SG\.[\w-]{16,80}\.)[\w-]{16,}`,
    String.raw`(?<=\bhooks\.slack\.com/services/)[\w/]{20,}`,
    String.raw`\beyJ[\w-]{8,4000}\.[\w-]{4,}[\w.-]*`,
    String.raw`(?<=\b(?:Bearer|Basic)\s{1,8})(?=\S*\d)[\w.~+/=-]{8,}`,
  ].join('|'),
  'g',
)

function isIn({ text, part }: Spelling, reading: Reading): boolean {
  return (
    part <= reading.text.length &&
    (reading.text.includes(text.slice(0, part)) || reading.text.includes(text.slice(-part)))
  )
}

function* found({ text, part }: Spelling, reading: Reading): Generator<Span> {
  const { places } = reading
  const span = (from: number, to: number): Span => [places[from] ?? 0, places[to] ?? 0]
  const start = text.slice(0, part)
  for (const at of occurrences(start, reading.text)) {
    let length = part
    while (length < text.length && text[length] === reading.text[at + length]) length++
    yield span(at, at + length)
  }
  if (part === text.length) return
  const end = text.slice(-part)
  for (const at of occurrences(end, reading.text)) {
    let length = part
    while (length < text.length && text.at(-length - 1) === reading.text[at + part - length - 1]) length++
    yield span(at + part - length, at + part)
  }
}

function* occurrences(part: string, text: string): Generator<number> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) yield at
}
