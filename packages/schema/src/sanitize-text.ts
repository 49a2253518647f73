/** Removes control characters and invisible characters from untrusted text, and shortens it to `max` characters. */
export function sanitizeText(text: string, max: number): string {
  const visible = text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return visible.length > max ? `${visible.slice(0, max - 1).toWellFormed()}…` : visible
}

/**
 * Matches all invisible characters except line breaks, tabs and U+200D, which joins emoji. Invisible characters,
 * including variation selectors, can hide or reverse text.
 */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
