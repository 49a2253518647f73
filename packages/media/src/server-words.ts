/** What a body says: a server's own message wherever it hides it, a page's title, else how it begins. Never long. */
export function serverWords(body: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1]?.trim()
  if (title) return `an HTML page, "${shorten(title)}"`
  const said = messageIn(tryJson(body))
  return shorten(said ?? body.replace(/<[^>]*>/g, ' ')) || 'an empty body'
}

/** The same for bytes, which may be no text at all. */
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

function shorten(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length <= 300 ? words : `${words.slice(0, 300)}...`
}

function messageIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return messageIn(value[0])
  if (typeof value !== 'object' || value === null) return undefined
  const { error, message, detail, msg } = value as Record<string, unknown>
  for (const candidate of [error, message, detail, msg]) {
    if (typeof candidate === 'string' && candidate !== '') return candidate
    const inner = messageIn(candidate)
    if (inner !== undefined) return inner
  }
  return undefined
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
