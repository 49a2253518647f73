/**
 * Removes control characters and invisible characters from untrusted text. Cuts it to `max` characters, the last of
 * which is an ellipsis.
 */
export function sanitizeText(text: string, max: number): string {
  const visible = text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return visible.length > max ? `${visible.slice(0, max - 1).toWellFormed()}…` : visible
}

/**
 * Matches all invisible characters, including variation selectors, because they can hide or reverse text. Does not
 * match line feeds, tabs and U+200D, which joins emoji.
 */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
