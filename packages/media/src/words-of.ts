import { serverWords } from '@capstan/core/wire'

/** What the bytes of an answer say, which may be no text at all. Never long. */
export function wordsOf(bytes: Uint8Array): string {
  const text = asText(bytes)
  if (text !== undefined) return serverWords(text)
  const head = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return `${bytes.byteLength} bytes that begin ${head}`
}

/** The bytes as text, or undefined when they are none: text holds no control characters. */
export function asText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127))
    return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
