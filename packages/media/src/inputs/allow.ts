import { CapstanError } from '@capstan/core'
import type { FetchLimits } from './fetch-url.js'

/** The files and URLs that a model may name in addition to artifact ids (default: none), and limits for all inputs. */
export interface Allow {
  /**
   * The folder with the files that a model may name, as `file:photo.png`. Files outside the folder cannot be read, even
   * through a link.
   */
  readonly folder?: string
  /**
   * The hosts of the URLs that a model may name, such as `cdn.example.com` or `localhost:8080`. Without a port, the
   * scheme's default port applies. A host name must resolve to public addresses, unless the entry itself is a private
   * address or a local name. Each redirect must lead to an allowed host.
   */
  readonly hosts?: readonly string[]
  /** Maximum size of a file or URL in bytes. Default 64 MB. */
  readonly bytes?: number
  /** Maximum seconds to fetch a URL, including redirects. Default 60. */
  readonly seconds?: number
}

/** Returns the limits for one file or URL. At most 3 redirects are followed. */
export function limitsOf({ bytes = 64 * 1024 * 1024, seconds = 60 }: Allow = {}): FetchLimits {
  return { bytes, ms: seconds * 1000, redirects: 3 }
}

/** Describes the accepted inputs, for the descriptions of parameters. */
export function sourcesOf({ folder, hosts = [] }: Allow = {}): string {
  const more = [
    ...(folder === undefined ? [] : ['a file:<name>']),
    ...(hosts.length > 0 ? [`a URL at ${hosts.join(', ')}`] : []),
  ]
  return more.length === 0 ? 'Artifact id' : `Artifact id, or ${more.join(', or ')},`
}

/** Validates the option. @throws CapstanError `invalid_request` for an invalid host or limit */
export function checkAllow({ folder, hosts = [], bytes = 1, seconds = 1 }: Allow = {}): void {
  const notHost = hosts.find((host) => !URL.canParse(`http://${host}`) || /[/@?#\\\s]/.test(host))
  if (notHost !== undefined)
    throw invalid(`"${notHost}" is not a host. Write it as cdn.example.com or localhost:8080`)
  if (folder === '') throw invalid('"folder" is empty. Name a folder, such as "." for the current one')
  if (!(bytes > 0 && seconds > 0 && seconds < 86_400))
    throw invalid('"bytes" and "seconds" must be above 0, and "seconds" below 86400')
}

function invalid(what: string): CapstanError {
  return new CapstanError('invalid_request', `In allow, ${what}.`)
}
