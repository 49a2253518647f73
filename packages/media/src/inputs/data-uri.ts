import { decodeBase64 } from '../decode-base64.js'
import type { Fetched } from './fetch-url.js'
import { holdBytes } from './held.js'

/** What a `data:` address holds; undefined for anything else, and for base64 that is none. */
export function parseDataUri(text: string): Fetched | undefined {
  // Not one expression over all of it: a picture has millions of characters.
  const comma = text.indexOf(',')
  const head = /^data:([^,;]*)([^,]*)$/i.exec(text.slice(0, Math.min(comma, 1000)))
  if (comma === -1 || !head) return undefined
  const [, mediaType = '', parameters = ''] = head
  const bytes = /;\s*base64\s*$/i.test(parameters)
    ? decodeBase64(decodeEscapes(text.slice(comma + 1)))
    : new TextEncoder().encode(decodeEscapes(text.slice(comma + 1)))
  return bytes && { ...holdBytes(bytes), mediaType: mediaType.trim().toLowerCase() }
}

function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
