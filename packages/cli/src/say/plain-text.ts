/** A text without characters that command a terminal: models and tools write what they like. Line ends and tabs stay. */
export function plainText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '')
}
