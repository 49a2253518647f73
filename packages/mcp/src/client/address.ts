import type { McpToolsOptions } from './mcp-options.js'

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
export function withoutSecrets(text: string, { secrets }: Address): string {
  return (
    [...secrets]
      .filter((secret) => secret.length >= 8)
      // One may begin another.
      .toSorted((one, other) => other.length - one.length)
      .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), text)
  )
}
