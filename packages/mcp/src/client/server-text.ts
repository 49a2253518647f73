import type { McpToolsOptions } from './options.js'

/**
 * Removes control characters and invisible characters from untrusted text, and cuts it to `max` characters.
 */
export function sanitizeText(text: string, max: number): string {
  const visible = text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return visible.length > max ? `${visible.slice(0, max - 1).toWellFormed()}…` : visible
}

/**
 * Everything invisible except line breaks, tabs and U+200D, which joins emoji. Such characters, variation
 * selectors included, can hide text or reverse it.
 */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** A server's name in error messages, with the secrets to redact. */
export interface ServerAddress {
  readonly label: string
  /** Values sent to the server that must not be shown. */
  readonly secrets: Set<string>
}

/** Returns the address without query and password, because they may contain secrets. */
export function serverAddress(options: McpToolsOptions): ServerAddress {
  const secrets = new Set<string>()
  if ('command' in options) {
    for (const value of Object.values(options.env ?? {})) secrets.add(value)
    return { label: options.command, secrets }
  }
  if (!('url' in options)) return { label: 'custom transport', secrets }
  const { origin, pathname, username, password, search, searchParams } = new URL(options.url)
  for (const value of [search.slice(1), username, password, ...searchParams.values()]) secrets.add(value)
  return { label: `${origin}${pathname}`, secrets }
}

/**
 * Redacts the secrets in a text. Shorter values than 8 characters are not redacted: any text may contain
 * them.
 */
export function redactSecrets(text: string, address: ServerAddress): string {
  return unmask(maskSecrets(text, address))
}

/**
 * Returns the last characters of a text with secrets redacted, including the end of a secret that the cut
 * splits.
 */
export function redactedEnd(text: string, address: ServerAddress, length: number): string {
  return unmask(maskSecrets(text, address).slice(-length))
}

/** The number of characters before a cut that may belong to a split secret. */
export function longestSecret({ secrets }: ServerAddress): number {
  return Math.max(0, ...[...secrets].map(({ length }) => length))
}

const mask = '\0'

/** Replaces each character of a secret with a mask, so that the length stays the same. */
function maskSecrets(text: string, { secrets }: ServerAddress): string {
  return (
    [...secrets]
      .filter((secret) => secret.length >= 8)
      // Longest first, because one secret may be a prefix of another.
      .toSorted((one, other) => other.length - one.length)
      .reduce(
        (text, secret) => text.replaceAll(secret, mask.repeat(secret.length)),
        text.replaceAll(mask, ' '),
      )
  )
}

function unmask(text: string): string {
  return text.replace(/\0+/g, '[redacted]')
}
