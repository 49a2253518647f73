import type { Found } from './quotes.js'
import { stopWords } from './synonyms.js'
import { actionsOf } from './verbs.js'

/** The proper names of a text: runs of capitalised words. The word a sentence begins with does not count alone. */
export function findNames(text: string): Found<string>[] {
  return [...text.matchAll(run)].flatMap((match) => {
    const words = match[0].split(/\s+/)
    const atStart = /^\W*$/.test(text.slice(0, match.index)) || /[.:!?]\s*$/.test(text.slice(0, match.index))
    const first = words[0] ?? ''
    const isOne =
      words.length === 1 && !listGoesOn.test(text.slice(match.index + first.length, match.index + 200))
    const skipped = atStart && (isOne || isOrdinary(first)) ? `${first} ` : ''
    const plain = match[0].slice(skipped.length)
    const [house = ''] = street.test(plain)
      ? (/\d{1,5}[a-z]?\s+$/.exec(text.slice(0, match.index)) ?? [])
      : []
    const value = house + plain
    if (value === '' || (words.length === 1 && neverNames.test(value))) return []
    return [{ value, start: match.index + skipped.length - house.length, end: match.index + match[0].length }]
  })
}

const capital = "\\p{Lu}[\\p{L}'’.-]*\\p{L}|\\p{Lu}(?=\\s)"
const run = new RegExp(
  `(?<![\\p{L}\\p{N}@/.#_])(?:${capital})(?:\\s+(?:(?:de|da|del|la|le|van|von|of|the|upon)\\s+){0,2}(?:${capital}))*(?:,\\s(?!OK)\\p{Lu}{2}(?!\\p{L}|,))?`,
  'gu',
)
const neverNames =
  /^(?:I|OK|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$/

const street = /\s(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Way|Square|Boulevard|Place)\.?$/

// "Ann and Bob", "Paris, Rome": what begins a list of names is one.
const listGoesOn = /^(?:,\s*|\s+(?:and|or)\s+)\p{Lu}\p{L}/u

function isOrdinary(word: string): boolean {
  const lower = word.toLowerCase()
  return stopWords.has(lower) || actionsOf(lower).size > 0
}
