import { visibleText } from '@capstan/core/wire'

/** A text as `visibleText` shows it, on its own lines: models and tools write what they like. Line ends and tabs stay. */
export function plainText(text: string): string {
  return text.replace(/\r/g, '').replace(/[^\n\t]+/g, visibleText)
}
