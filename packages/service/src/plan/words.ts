import { genericWords, phrases, stopWords, synonyms } from './synonyms.js'

/** The stem of one English word: `variations` and `variation` meet, `calculator` and `calculate` too. */
export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  // Words repeat in every request; the bound keeps strangers' words from filling the memory.
  if (stems.size >= mostStems) stems.clear()
  const found = toStem(word)
  if (word.length <= longestWord) stems.set(word, found)
  return found
}

const stems = new Map<string, string>()
const mostStems = 4000

function toStem(word: string): string {
  let rest = word.toLowerCase().replace(/['’]s?$/, '')
  if (invariable.has(rest) || rest.length > longestWord) return rest
  if (rest.length > 3)
    rest = rest
      .replace(/ies$/, 'y')
      .replace(/(ss|x|ch|sh)es$/, '$1')
      .replace(/([^su])s$/, '$1')
  if (rest.length > 5) rest = rest.replace(/(at)(?:ions?|ors?|ing|ed)$/, '$1')
  if (rest.length > 5)
    rest = rest.replace(/(\w[aeiouy]\w+?)(?:ing|ed)$/, '$1').replace(/([bdgmnprt])\1$/, '$1')
  return rest.length > 3 ? rest.replace(/e$/, '').replace(/y$/, 'i') : rest
}

// No English word is longer; bounds the work of the patterns.
const longestWord = 40

// Words whose last letter only looks like a plural's.
const invariable = new Set(['news', 'series', 'species', 'lens', 'atlas', 'physics', 'gas', 'always'])

const canonical = new Map(
  synonyms.flatMap(([first = '', ...others]) => others.map((word) => [stem(word), stem(first)])),
)
const generic = new Set([...genericWords].map(toConcept))

/** The concept behind one word: its stem, or the one its synonyms share. */
export function toConcept(word: string): string {
  const own = stem(word)
  return canonical.get(own) ?? own
}

/** The concepts a text speaks of, stop words left out. */
export function toConcepts(text: string): Set<string> {
  const words =
    withPhrases(splitName(text))
      .toLowerCase()
      .match(/[\p{L}\p{N}'’]+/gu) ?? []
  return new Set(words.filter((word) => !stopWords.has(word) && !/^\d+$/.test(word)).map(toConcept))
}

/** The text with phrases that act as one word written as that word: "look up" as "lookup". */
export function withPhrases(text: string): string {
  return phrases.reduce((current, [pattern, word]) => current.replace(pattern, word), text).trim()
}

/** How much meeting this concept says about a tool: everyday verbs such as "get" say little. */
export function weightOf(concept: string): number {
  return generic.has(concept) ? 0.4 : 1
}

/** `maxPrice`, `max_price` and `max-price` as the words "max price". */
export function splitName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_\-.]+/g, ' ')
}
