import { CapstanError } from '@capstan/core'
import type { FetchLimits } from './fetch-url.js'

/** What a model may name besides artifact ids, default nothing; and the limits of whatever is read or fetched. */
export interface Allow {
  /** A folder whose files it may name, as `file:photo.png`; nothing outside is read, also not through a link. */
  readonly folder?: string
  /**
   * Hosts it may name addresses of, as `cdn.example.com` or `localhost:8080`; no port means the scheme's own. They
   * must be public, unless the host is itself a private address or a local name. Each redirect must lead to one.
   */
  readonly hosts?: readonly string[]
  /** The most of one file or address in bytes. Default 64 MB. */
  readonly bytes?: number
  /** How long fetching one address may take, redirects included. Default 60. */
  readonly seconds?: number
}

/** The limits of one file or address. */
export function limitsOf({ bytes = 64 * 1024 * 1024, seconds = 60 }: Allow = {}): FetchLimits {
  return { bytes, ms: seconds * 1000, redirects: 3 }
}

/** What a model may give, as its parameter is described. */
export function sourcesOf({ folder, hosts = [] }: Allow = {}): string {
  const more = [
    ...(folder === undefined ? [] : ['a file:<name>']),
    ...(hosts.length > 0 ? [`a URL at ${hosts.join(', ')}`] : []),
  ]
  return more.length === 0 ? 'Artifact id' : `Artifact id, or ${more.join(', or ')},`
}

/** @throws CapstanError `invalid_request` for a host that is none, or a limit that bounds nothing */
export function checkAllow({ folder, hosts = [], bytes = 1, seconds = 1 }: Allow = {}): void {
  const notHost = hosts.find((host) => !URL.canParse(`http://${host}`) || /[/@?#\\\s]/.test(host))
  if (notHost !== undefined)
    throw invalid(`"${notHost}" is no host: write it as cdn.example.com or localhost:8080`)
  if (folder === '') throw invalid('"folder" is empty: name a folder, "." for the current one')
  if (!(bytes > 0 && seconds > 0 && seconds < 86_400)) throw invalid('"bytes" and "seconds" must be above 0')
}

function invalid(what: string): CapstanError {
  return new CapstanError('invalid_request', `In allow, ${what}.`)
}
