import { isRecord } from '@capstan/core/wire'
import { textOf } from '../text-of.js'
import type { Fields } from './run-input.js'

/** The words of a message. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).flatMap(({ type, text }) => (type === 'text' ? [textOf(text)] : []))
  return texts.join('\n\n')
}

/** The addresses of what came with them; bytes have `data:` addresses. */
export function filesOf(content: unknown): readonly string[] {
  return listOf(content).flatMap((part) => {
    if (part.type === 'text') return []
    // In the older form of a part its fields stand in it, and not in a source.
    const { type, value, mimeType, data, url } = { ...part, ...(isRecord(part.source) ? part.source : {}) }
    const bytes = type === 'data' ? value : data
    if (typeof bytes === 'string') return [`data:${textOf(mimeType)};base64,${bytes}`]
    return [textOf(type === 'url' ? value : url)]
  })
}

/** The objects in a list, none where there is no list. */
export function listOf(given: unknown): readonly Fields[] {
  return Array.isArray(given) ? given.filter(isRecord) : []
}
