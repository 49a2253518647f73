/** The words of a text, in small letters; of a name as well: `getUser_name` has three. A sign of Chinese is one. */
export function plainWords(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')
  return (spaced.toLowerCase().match(word) ?? []).slice(0, mostWords)
}

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu

/** No description needs more to be told from another. */
const mostWords = 400

/** The words that say something, without their endings: `Gets the users` is `get`, `user`. */
export function tellingWords(text: string): ReadonlySet<string> {
  return new Set(
    plainWords(text)
      .filter((one) => !silent.has(one))
      .map(stem),
  )
}

const silent = new Set(
  'a an the of to for in on at by with from and or is are be it its this that these those tool function'.split(
    ' ',
  ),
)

function stem(one: string): string {
  if (one.length <= 3) return one
  return one.replace(/(ies|es|s|ed|ing)$/, '').replace(/(e|y)$/, '')
}

/** How much of two sets is common to both: 0 to 1. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length
  return common === 0 ? 0 : common / (one.size + other.size - common)
}
