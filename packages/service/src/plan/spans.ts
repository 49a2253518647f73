/** A match in a text with its position. */
export interface Found<T> {
  readonly value: T
  readonly start: number
  readonly end: number
}

/** Finds the quotations of a text, and a passage after a colon and a new line. */
export function findQuotes(text: string): Found<string>[] {
  if (!opensQuote.test(text)) return []
  return [...text.matchAll(quotation)].map((match) => {
    const value = match.slice(1).find((group) => group !== undefined) ?? ''
    return { value, start: match.index, end: match.index + match[0].length }
  })
}

/** Masks each quotation by marks of the same length, so that positions stay and no pattern matches inside. */
export function maskQuotes(text: string): string {
  if (!opensQuote.test(text)) return text
  return text.replace(quotation, (match) => quoteMark.repeat(match.length))
}

/** The mark in place of a quotation. No pattern treats it as a letter. */
export const quoteMark = '\uE000'

// Most texts have none of these: this test is far cheaper than the search for a quotation.
const opensQuote = /["“«'‘:]/

// An apostrophe inside a word opens no quotation, and a list after a colon is a list of tasks. A quotation
// contains no second opening mark: otherwise each mark would be searched to the end of the text.
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
