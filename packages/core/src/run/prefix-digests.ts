import type { Message } from '../words/message.js'
import { toLine } from './to-line.js'

/**
 * For each place, a digest of the words of all messages before it: the same for one conversation however often it is
 * loaded, and another for any other. What one user was told must not be shown to another: hence no shorter hash.
 */
export async function prefixDigests(messages: readonly Message[]): Promise<readonly string[]> {
  const digests = ['']
  for (const message of messages) {
    const before = digests.at(-1) ?? ''
    const known = after.get(message)
    const digest = known?.before === before ? known.digest : await digestOf(`${before}\n${toLine(message)}`)
    after.set(message, { before, digest })
    digests.push(digest)
  }
  return digests
}

/** By message, as it was met last: each is hashed once while a conversation grows. */
const after = new WeakMap<Message, { readonly before: string; readonly digest: string }>()

/** SHA-256, in hex. */
export async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
