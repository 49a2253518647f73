/** The most characters of a list: proxies refuse longer headers. */
const longest = 900

/**
 * Words as the value of a header, parted by commas, for example `red, cat`; `nothing` for none. What is no plain
 * ASCII, and commas and percent signs themselves, are percent-encoded; a long list ends with `...`.
 */
export function toWordList(words: readonly string[]): string {
  let list = ''
  for (const word of words) {
    const next = (list ? ', ' : '') + encoded(word)
    if (list.length + next.length > longest) return `${list}, ...`
    list += next
  }
  return list || 'nothing'
}

function encoded(word: string): string {
  const bytes = Buffer.from(word.slice(0, 100).toWellFormed(), 'utf8')
  return [...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : percent(byte))).join('')
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x25 && byte !== 0x2c
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
