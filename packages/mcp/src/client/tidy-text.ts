/**
 * Words of a stranger that a model or a person is to read: no control characters, nothing that is there and not seen,
 * no more than `max` characters.
 */
export function tidyText(text: string, max: number): string {
  const seen = text
    .toWellFormed()
    .replace(unseen, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return seen.length > max ? `${seen.slice(0, max - 1).toWellFormed()}…` : seen
}

/**
 * Line ends and tabs are seen; U+200D joins emoji. The rest can hide words, or turn them round: marks that choose
 * between forms of a letter are as good for that as those that were made for it.
 */
const unseen = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
