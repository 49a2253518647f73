import { bodyNouns } from '../drawings/drawn-nouns.js'
import type { Noun } from '../nouns/part.js'
import { compoundOf, isFood } from './compounds.js'
import { longestPhrase, type Meaning, meaningsOf } from './dictionary.js'
import { type Present, PromptReader } from './prompt-reader.js'
import type { Request } from './request.js'
import { announcers, fillers, followers, modifiers, relations, subjects, units } from './words.js'

/**
 * Parses a prompt. Never fails: unknown words are ignored and are not in `understood`. If things are `present`, "the
 * dog" refers to one of them, and new things are added after them.
 */
export function parsePrompt(asked: string, present: Present = { things: [] }): Request {
  const { prompt, texts } = extractQuotes(asked)
  const reader = new PromptReader(present)
  const tokens = toTokens(prompt)
  const styling = new Set<number>()
  let firstThing = tokens.length
  for (let i = 0; i < tokens.length; ) {
    if (isVerb(tokens, i)) {
      reader.lost.add(tokens[i] ?? '')
      i++
      continue
    }
    const { length, phrase, meanings, tint } = readAt(tokens, i, reader.hasThings)
    if (meanings[0]?.kind === 'thing') firstThing = Math.min(firstThing, i)
    if (meanings[0]?.kind === 'style') for (let k = i; k < i + length; k++) styling.add(k)
    const text = /^"(\d+)"$/.exec(phrase)?.[1]
    if (text) reader.takeText(texts[Number(text)] ?? '')
    else if (phrase === 'water' && tokens[i - 1] === 'of' && reader.takeWater(phrase))
      firstThing = Math.min(firstThing, i)
    else if (owners.has(phrase)) reader.takeOwner()
    else if (tint) reader.takeTint(phrase, tint)
    else if (meanings.length) reader.take(phrase, meanings, { again: tokens[i - 1] === 'the' })
    else if (phrase === 'of') reader.takeContents()
    else if (phrase === 'it') reader.takeIt()
    else if (separators.has(phrase)) reader.settle(phrase)
    i += length
  }
  reader.settle('.')
  const isSaid = (token: string): boolean => isTelling(token, texts.length > 0) && !reader.refused.has(token)
  const content = tokens.filter((token, i) => isSaid(token) && !styling.has(i))
  const request = {
    ...reader.found(),
    said: [...tokens.filter(isSaid), ...reader.lost],
    unknownNouns: tokens.filter((token, i) => i < firstThing && isSaid(token) && isUnknownNoun(tokens, i)),
    text: [...(content.length ? content : tokens), ...texts].join(' '),
  }
  return request.place || !isInTown(prompt) ? request : { ...request, place: 'city' }
}

/** Separators after which earlier adjectives no longer apply. */
const separators = new Set(', . ; : ! ? ( ) with in at to is are a an the as for from into'.split(' '))

const owners = new Set(['its', 'his', 'her', 'their'])

/** Whether a word is a verb between a thing and its object, as in "children building a snowman". */
function isVerb(tokens: readonly string[], at: number): boolean {
  const [before = '', word = '', after = ''] = tokens.slice(Math.max(0, at - 1), at + 2)
  const isThing = meaningsOf(before).some(({ kind }) => kind === 'thing')
  const reads = meaningsOf(word)[0]?.kind
  const isOther = reads === undefined ? fillers.has(word) : /^(?:thing|place|style)$/.test(reads)
  return (
    at > 0 &&
    /.{2}ing$/.test(word) &&
    isThing &&
    isOther &&
    /^(?:an?|the|some|his|her|its|their)$/.test(after)
  )
}

const placing = new Set(Object.values(relations).flatMap((phrases) => phrases.split(/,? /)))

/** Whether a word refers to something that an image could show. */
function isTelling(token: string, quoted: boolean): boolean {
  if (!/\p{L}/u.test(token) || fillers.has(token) || placing.has(token)) return false
  return !units.includes(token) && !(quoted && announcers.has(token))
}

/** The kinds of words that an adjective may precede, as in "a gloomy night". */
const describable = new Set(['thing', 'place', 'time', 'weather', 'style', 'sky'])

/** Whether an unknown word is not a verb, not an adverb, and not an adjective of a known thing. */
function isUnknownNoun(tokens: readonly string[], at: number): boolean {
  const isUnknown = (token: string): boolean =>
    /^\p{L}+$/u.test(token) && meaningsOf(token).length === 0 && !fillers.has(token)
  const token = tokens[at] ?? ''
  if (!isUnknown(token) || followers.has(token) || /(ing|ed|ly)$/.test(token)) return false
  for (let i = at + 1; i < tokens.length; i++) {
    const { meanings, length } = longestAt(tokens, i)
    const [first] = meanings
    if (meanings.some(({ kind }) => describable.has(kind))) return false
    if (first ? !['color', 'size', 'count', 'degree'].includes(first.kind) : !isUnknown(tokens[i] ?? ''))
      return !isPartOfPhrase(tokens, at)
    i += length - 1
  }
  return !isPartOfPhrase(tokens, at)
}

/** Whether a word is part of a known phrase, as "cream" is of "ice cream". */
function isPartOfPhrase(tokens: readonly string[], at: number): boolean {
  for (let start = Math.max(0, at - longestPhrase + 1); start <= at; start++)
    if (start + longestAt(tokens, start).length > at && longestAt(tokens, start).meanings.length > 0)
      return true
  return false
}

function toTokens(prompt: string): string[] {
  return (
    prompt
      .toLowerCase()
      .replaceAll('-', ' ')
      .match(/"\d+"|[\p{L}\p{M}]+|\d+|[,.;:!?()]/gu) ?? []
  )
}

interface Found {
  readonly phrase: string
  readonly meanings: readonly Meaning[]
  readonly length: number
  /** A food that only describes the colour of the next noun, as in "chocolate cake". */
  readonly tint?: Noun
}

/** Reads the phrase at a token, and takes its neighbours into account. */
function readAt(tokens: readonly string[], start: number, hasThings: boolean): Found {
  const found = longestAt(tokens, start)
  const { phrase, length } = found
  const [before = '', after = ''] = [tokens[start - 1], tokens[start + length]]
  const thing = found.meanings.find((meaning) => meaning.kind === 'thing')
  const behind = modifiers.has(phrase) ? longestAt(tokens, start + length).meanings[0] : undefined
  if (behind?.kind === 'thing') return { phrase, length, meanings: [] }
  if (!thing) return found
  const grown = thing.many ? undefined : compoundOf(thing.noun, phrase, after)
  if (grown && (found.meanings[0] === thing || after.startsWith('tree')))
    return { phrase: `${phrase} ${after}`, meanings: [grown], length: length + 1 }
  const next = longestAt(tokens, start + length)
  const head = next.meanings[0]
  if (found.meanings.length > 1 || found.meanings[0] !== thing) {
    const first = found.meanings[0]?.kind ?? ''
    const apart =
      ['color', 'style', 'degree'].includes(first) &&
      !thing.many &&
      isDeterminer(before) &&
      (!head || head.kind === 'relation') &&
      !isBareNoun(after)
    if (!apart) return found
  }
  if (subjects.has(before) && !isSubjectAlone(after)) return { ...found, meanings: [] }
  // In "a dog with long ears", the drawing of the dog already has ears.
  if (hasThings && bodyNouns.includes(thing.noun)) return { ...found, meanings: [] }
  if (thing.many) return { ...found, meanings: [thing] }
  if (head?.kind === 'thing') {
    return isFood(thing.noun)
      ? { phrase, length, meanings: [], tint: thing.noun }
      : { phrase, length, meanings: [] }
  }
  if (isBareNoun(after)) return { phrase, length, meanings: [] }
  return { ...found, meanings: [thing] }
}

/** Whether a word shows that a noun follows: an article, a number or an adjective. */
function isDeterminer(word: string): boolean {
  if (/^(a|an|the|and|this|that|another|my|your|his|her|their|our|\d+|)$/.test(word)) return true
  return meaningsOf(word).some(({ kind }) => kind === 'color' || kind === 'count' || kind === 'size')
}

/** Whether the verb after "I" has an object, as in "I saw a dog". */
function isSubjectAlone(after: string): boolean {
  return after === '' || separators.has(after) ? !/^(a|an|the)$/.test(after) : false
}

/**
 * Whether an unknown word directly after a noun is most likely the main noun. For example, "a dog collar" does not
 * request a dog.
 */
function isBareNoun(word: string): boolean {
  if (!/^\p{L}{2,}$/u.test(word) || meaningsOf(word).length > 0 || /(ing|ed|ly|s)$/.test(word)) return false
  return !fillers.has(word) && !placing.has(word) && !followers.has(word) && !announcers.has(word)
}

function longestAt(tokens: readonly string[], start: number): Found {
  for (let length = longestPhrase; length > 1; length--) {
    const phrase = tokens.slice(start, start + length).join(' ')
    const meanings = meaningsOf(phrase)
    if (meanings.length) return { phrase, meanings, length }
  }
  const phrase = tokens[start] ?? ''
  const number = /^\d+$/.test(phrase)
    ? [{ kind: 'count', count: Number(phrase) } as const]
    : meaningsOf(phrase)
  return { phrase, meanings: number, length: 1 }
}

/** Whether the scene is in a town: an unknown name after "in" is most likely one, as in "in Oslo". */
function isInTown(prompt: string): boolean {
  const name = /\bin ([A-Z][a-z]{2,})/.exec(prompt)?.[1]
  return name !== undefined && meaningsOf(name.toLowerCase()).length === 0
}

/** A prompt without its quotations. */
interface Unquoted {
  /** The prompt. Each quotation is replaced by `"0"`, `"1"` and so on. */
  readonly prompt: string
  readonly texts: readonly string[]
}

const quotes =
  /"([^"]+)"|“([^”"]+)[”"]|„([^“”"]+)[“”"]|«([^»]+)»|(?<=^|[\s:(])['‘]([^'‘’]+)['’](?=$|[\s.,;:!?)])/g

/** Extracts quotations from a prompt. If the entire prompt is quoted, it contains none. */
export function extractQuotes(prompt: string): Unquoted {
  const whole = /^\s*["“'‘](.*)["”'’]\s*\.?\s*$/s.exec(prompt)?.[1]
  if (whole !== undefined && !/["“”]/.test(whole)) return { prompt: whole, texts: [] }
  const texts: string[] = []
  const rest = prompt.replace(quotes, (_, ...found: (string | undefined)[]) => {
    const text = found.slice(0, 5).find((group) => group !== undefined)
    return ` "${texts.push((text ?? '').replace(/\s+/g, ' ').trim()) - 1}" `
  })
  return { prompt: rest, texts }
}
