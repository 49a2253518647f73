import type { McpToolsOptions } from './options.js'

/**
 * Words of a stranger that a model or a person is to read: no control characters, nothing that is there and not seen,
 * no more than `max` characters.
 */
export function tidyText(text: string, max: number): string {
  const seen = text
    .toWellFormed()
    .replace(unseen, '')
    .replace(/\u200d{2,}/g, '\u200d')
  return seen.length > max ? `${seen.slice(0, max - 1).toWellFormed()}…` : seen
}

/**
 * Line ends and tabs are seen; U+200D joins emoji. The rest can hide words, or turn them round: marks that choose
 * between forms of a letter are as good for that as those that were made for it.
 */
const unseen = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** A server as errors speak of it. */
export interface Address {
  readonly called: string
  /** What was given to the server and must not be told. */
  readonly secrets: Set<string>
}

/** Without the query and the password of an address: they may be secrets as well. */
export function toAddress(options: McpToolsOptions): Address {
  const secrets = new Set<string>()
  if ('command' in options) {
    for (const value of Object.values(options.env ?? {})) secrets.add(value)
    return { called: options.command, secrets }
  }
  if (!('url' in options)) return { called: 'the given transport', secrets }
  const { origin, pathname, username, password, search, searchParams } = new URL(options.url)
  for (const value of [search.slice(1), username, password, ...searchParams.values()]) secrets.add(value)
  return { called: `${origin}${pathname}`, secrets }
}

/** A text without the secrets; short values are no secrets, but words that any text may hold. */
export function withoutSecrets(text: string, address: Address): string {
  return told(masked(text, address))
}

/** Its last characters, without the secrets: also without the end of one that begins before them. */
export function endWithoutSecrets(text: string, address: Address, length: number): string {
  return told(masked(text, address).slice(-length))
}

/** How much before a cut may belong to what stands behind it. */
export function longestSecret({ secrets }: Address): number {
  return Math.max(0, ...[...secrets].map(({ length }) => length))
}

const mask = '\0'

/** With a mask in the place of each character of a secret, so that all else stays where it was. */
function masked(text: string, { secrets }: Address): string {
  return (
    [...secrets]
      .filter((secret) => secret.length >= 8)
      // One may begin another.
      .toSorted((one, other) => other.length - one.length)
      .reduce(
        (text, secret) => text.replaceAll(secret, mask.repeat(secret.length)),
        text.replaceAll(mask, ' '),
      )
  )
}

function told(text: string): string {
  return text.replace(/\0+/g, '[redacted]')
}
