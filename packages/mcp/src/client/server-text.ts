import { Redactor } from '@capstan/core/internal'
import { sanitizeText } from '@capstan/schema/sanitize-text'

/** How to name a server in errors, and which secrets to redact from the errors. */
export interface ServerAddress {
  readonly label: string
  /** Secrets that are sent to the server and must not be shown. */
  readonly secrets: Set<string>
}

/** The options that determine which server to use. */
interface Place {
  readonly command?: string
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string | URL
  readonly transport?: unknown
}

/** Returns a server's label, without the query and password of its URL, and the secrets in its options. */
export function serverAddress({ command, env = {}, url }: Place): ServerAddress {
  const secrets = new Set<string>()
  if (command !== undefined) {
    for (const value of Object.values(env)) secrets.add(value)
    return { label: command, secrets }
  }
  if (url === undefined) return { label: 'custom transport', secrets }
  const { origin, pathname, username, password, search, searchParams } = new URL(url)
  for (const value of [search.slice(1), username, password, ...searchParams.values()]) secrets.add(value)
  return { label: `${origin}${pathname}`, secrets }
}

/** Redacts secrets in text. Keeps those shorter than 8 characters, because they also occur in ordinary text. */
export function redactSecrets(text: string, { secrets }: ServerAddress): string {
  return (
    [...secrets]
      .filter(isLongEnough)
      // Longest first, because one secret may be a prefix of another.
      .toSorted((one, other) => other.length - one.length)
      .reduce((text, secret) => text.replaceAll(secret, mask), text.replaceAll(mask, ' '))
      .replace(/\0+/g, '[redacted]')
  )
}

function isLongEnough({ length }: string): boolean {
  return length >= 8
}

const mask = '\0'

interface TextEnd {
  /** Maximum characters to return. */
  readonly length: number
  /** Whether the text was cut off at its start. */
  readonly isCut: boolean
}

/**
 * Returns the end of a process's output, with credentials redacted: those that were sent to the server, those in this
 * process's environment, and values that follow names such as `password`.
 */
export function redactedEnd(text: string, address: ServerAddress, { length, isCut }: TextEnd): string {
  const secrets = [...address.secrets].filter(isLongEnough)
  const shown = sanitizeText(new Redactor(secrets).text(text), Number.POSITIVE_INFINITY)
  // If a credential was split by the cut, its second half would not be recognized, so omit all characters that may
  // belong to it.
  const whole = isCut ? shown.slice(longestSecret(address)) : shown
  return whole.slice(-length).toWellFormed().trim()
}

/** Returns how many characters after a cut may belong to a split credential. */
export function longestSecret({ secrets }: ServerAddress): number {
  return Math.max(1000, ...[...secrets].map(({ length }) => length))
}
