/** Something recognised in a text, and where. */
export interface Found<T> {
  readonly value: T
  readonly start: number
  readonly end: number
}

/** The quoted passages of a text, and a passage set off by a colon and a new line. */
export function findQuotes(text: string): Found<string>[] {
  return [...text.matchAll(quotation)].map((match) => {
    const value = match.slice(1).find((group) => group !== undefined) ?? ''
    return { value, start: match.index, end: match.index + match[0].length }
  })
}

/** The text with every quotation blanked out by as many marks, so that positions stay and no rule reads inside. */
export function maskQuotes(text: string): string {
  return text.replace(quotation, (match) => quoteMark.repeat(match.length))
}

/** What masked text holds in place of a quotation; no rule mistakes it for a word. */
export const quoteMark = '\u0001'

// An apostrophe inside a word opens nothing, and a list behind a colon is a list of things to do.
// A quotation holds no second opening: else each of many would be looked for to the end of the text.
const quotation = new RegExp(
  [
    '"([^"]+)"',
    '“([^“”]+)”',
    '«([^«»]+)»',
    "(?<![\\p{L}\\p{N}])['‘]((?:[^'‘’]|['’](?=\\p{L}))+)['’](?!\\p{L})",
    '(?<=:[ \\t]*\\n\\s*)(?=[^\\s*•\\d-])([^]+?)\\s*$',
  ].join('|'),
  'gu',
)
