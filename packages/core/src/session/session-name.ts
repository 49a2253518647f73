import { CapstanError } from '../words/error.js'

/** Refuses what is no session id. @throws CapstanError `invalid_request` */
export function checkSessionId(id: unknown): asserts id is string {
  const isId = typeof id === 'string' && id !== '' && id.length <= maxLength
  // Half a character has no UTF-8 of its own: two such ids would share one name.
  if (isId && id.isWellFormed() && !/\p{Cc}/u.test(id)) return
  const message = `A session id is text of 1 to ${maxLength} characters, none of them a control character. This is none: ${shown(id)}.`
  throw new CapstanError('invalid_request', message)
}

/**
 * The name of a session where names are files or keys: a readable part, and a hash that tells ids apart which
 * differ in case, accents or punctuation alone. Small letters, digits and dashes, 80 characters at most.
 */
export async function sessionName(id: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  const hash = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `${['session', ...words].join('-').slice(0, 47)}-${hash}`
}

const maxLength = 200

function shown(id: unknown): string {
  return typeof id === 'string' ? JSON.stringify(id.slice(0, maxLength)) : typeof id
}
