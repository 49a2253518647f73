import type { Found } from './quotes.js'
import { stopWords } from './synonyms.js'
import { actionsOf } from './verbs.js'

/** The proper names of a text: runs of capitalised words. The word a sentence begins with does not count alone. */
export function findNames(text: string): Found<string>[] {
  return [...text.matchAll(run)].flatMap((match) => {
    const words = match[0].split(/\s+/)
    const atStart = /^\W*$/.test(text.slice(0, match.index)) || /[.:!?]\s*$/.test(text.slice(0, match.index))
    const first = words[0] ?? ''
    const skipped = atStart && (words.length === 1 || isOrdinary(first)) ? `${first} ` : ''
    const value = match[0].slice(skipped.length)
    if (value === '' || (words.length === 1 && neverNames.test(value))) return []
    return [{ value, start: match.index + skipped.length, end: match.index + match[0].length }]
  })
}

const capital = "\\p{Lu}[\\p{L}'’.-]*\\p{L}|\\p{Lu}(?=\\s)"
const run = new RegExp(
  `(?<![\\p{L}\\p{N}@/.#_])(?:${capital})(?:\\s+(?:(?:de|da|del|la|le|van|von|of|the|upon)\\s+){0,2}(?:${capital}))*`,
  'gu',
)
const neverNames =
  /^(?:I|OK|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$/

function isOrdinary(word: string): boolean {
  const lower = word.toLowerCase()
  return stopWords.has(lower) || actionsOf(lower).size > 0
}
