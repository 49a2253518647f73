/**
 * Removes control characters and invisible characters from untrusted text, and cuts it to `max` characters.
 */
export function sanitizeText(text: string, max: number): string {
  const visible = text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return visible.length > max ? `${visible.slice(0, max - 1).toWellFormed()}…` : visible
}

/**
 * Everything invisible except line breaks, tabs and U+200D, which joins emoji. Such characters, variation
 * selectors included, can hide text or reverse it.
 */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
