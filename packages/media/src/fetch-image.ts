import { CapstanError, isCapstanError } from '@capstan/core'
import { orAborted, reasonOf } from '@capstan/core/wire'
import { refusalOf } from './refusal-of.js'
import { wordsOf } from './words-of.js'

export interface Fetched {
  readonly bytes: Uint8Array
  /** What came with them as their type; `''` for nothing. */
  readonly mediaType: string
}

export interface FetchOptions {
  /** Relative addresses are below it; its origin is the only one that need not be public https. */
  readonly baseURL: string
  /** Whose answer the address was in. */
  readonly endpoint: string
  readonly signal: AbortSignal
  /** Default 64 MB, 60 s and 3 redirects. */
  readonly limits?: Limits
}

interface Limits {
  readonly bytes: number
  readonly ms: number
  readonly redirects: number
}

const defaultLimits: Limits = { bytes: 64 * 1024 * 1024, ms: 60_000, redirects: 3 }

/**
 * Fetches an image that an answer links to, never with the key, each redirect checked like the address itself.
 * @throws CapstanError `invalid_response` for an address that is refused or too much data, `api`, `timeout`, `network`
 */
export async function fetchImage(address: string, options: FetchOptions): Promise<Fetched> {
  const { endpoint, signal, limits = defaultLimits } = options
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)])
  try {
    return await orAborted(limited, follow(address, { ...options, limits, signal: limited }))
  } catch (error) {
    if (signal.aborted || isCapstanError(error)) throw error
    const late = limited.aborted
    const why = late ? `it did not come within ${limits.ms} ms` : reasonOf(error)
    throw new CapstanError(late ? 'timeout' : 'network', sentence(endpoint, why), {
      retryable: true,
      cause: error,
    })
  }
}

async function follow(address: string, options: Required<FetchOptions>): Promise<Fetched> {
  const { baseURL, endpoint, signal, limits } = options
  if (/^data:/i.test(address)) return read(await fetch(address), options)
  let url = toUrl(address, `${baseURL}/`, endpoint)
  for (let redirects = 0; ; redirects++) {
    const refusal = await refusalOf(url, baseURL)
    if (refusal) throw refused(endpoint, refusal)
    const response = await fetch(url, { redirect: 'manual', signal })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || !location) return read(response, options)
    await response.body?.cancel()
    if (redirects === limits.redirects)
      throw refused(endpoint, `it redirects more than ${limits.redirects} times`)
    url = toUrl(location, url, endpoint)
  }
}

function toUrl(address: string, base: string | URL, endpoint: string): URL {
  if (URL.canParse(address, base)) return new URL(address, base)
  throw refused(endpoint, `"${address.slice(0, 100)}" is no address`)
}

async function read(response: Response, { endpoint, limits }: Required<FetchOptions>): Promise<Fetched> {
  const bytes = await readUpTo(limits.bytes, response.body)
  if (!bytes) throw refused(endpoint, `it is larger than ${limits.bytes} bytes`)
  if (response.ok) {
    const [mediaType = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
    return { bytes, mediaType: mediaType.trim() }
  }
  const { status } = response
  throw new CapstanError('api', sentence(endpoint, `the server answered ${status}: ${wordsOf(bytes)}`), {
    status,
    retryable: status >= 500,
  })
}

/** All bytes, or undefined when there are more than the limit: then the rest is never taken in. */
async function readUpTo(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (const reader = body?.getReader(); reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    if (length > limit) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value as Uint8Array<ArrayBuffer>)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function refused(endpoint: string, why: string): CapstanError {
  return new CapstanError('invalid_response', sentence(endpoint, why), { evidence: { endpoint } })
}

function sentence(endpoint: string, why: string): string {
  return `The image that ${endpoint} linked to could not be fetched: ${why}.`
}
