import { CapstanError } from '@capstan/core'
import { type Allow, limitsOf } from './inputs/allow.js'
import { parseDataUri } from './inputs/data-uri.js'
import { type Fetched, type FetchOptions, fetchUrl } from './inputs/fetch-url.js'

export interface LinkOptions extends Pick<FetchOptions, 'signal'> {
  /** Relative addresses are below it; its origin is fetched wherever it is, others when they are public https. */
  readonly baseURL: string
  /** Whose answer the address was in. */
  readonly endpoint: string
  /** Further hosts that may be fetched, and the limits. */
  readonly allow?: Allow | undefined
}

/**
 * Fetches an image that an answer links to, never with the key, each redirect checked like the address itself.
 * @throws CapstanError `invalid_response` for an address that is refused or too much data, `api`, `timeout`, `network`
 */
export async function fetchImage(address: string, options: LinkOptions): Promise<Fetched> {
  const { baseURL, endpoint, signal, allow = {} } = options
  const inside = parseDataUri(address)
  if (inside) return inside
  const what = `The image that ${endpoint} linked to`
  if (/^data:/i.test(address) || !URL.canParse(address, `${baseURL}/`)) {
    const message = `${what} could not be fetched: "${address.slice(0, 100)}" is no address that can be read.`
    throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
  }
  const reach = { own: new URL(baseURL).origin, hosts: allow.hosts ?? [], anyPublic: 'https' } as const
  const told = { what, advice, code: 'invalid_response' } as const
  return fetchUrl(new URL(address, `${baseURL}/`), { ...told, signal, reach, limits: limitsOf(allow) })
}

const advice =
  'Give the service the baseURL by which it names its files, have it send b64_json, or allow the host: allow: { hosts }.'
