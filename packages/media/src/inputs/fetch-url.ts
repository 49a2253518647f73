import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { orAborted, reasonOf } from '@capstan/core/wire'
import { type Reach, refusalOf, ruleOf } from '../refusal-of.js'
import { wordsOf } from '../words-of.js'
import { type NameRules, PrivateName } from './checked-lookup.js'
import { type Got, getChecked } from './get-checked.js'
import { bytesOf, type Held } from './held.js'
import { takeIn } from './take-in.js'

export interface Fetched extends Held {
  /** What came with them as their type: lower case, without parameters, `''` for nothing. */
  readonly mediaType: string
}

export interface FetchOptions {
  /** Where it may go, each redirect included. */
  readonly reach: Reach
  readonly signal: AbortSignal
  /** What is fetched, as the errors begin: `The image that ... linked to`. */
  readonly what: string
  /** Code of the error for what is refused, too large or redirected too often. */
  readonly code: ErrorCode
  /** What to do about an address that is refused: a sentence. */
  readonly advice: string
  readonly limits: FetchLimits
  /** Default the system's. */
  readonly names?: NameRules
}

export interface FetchLimits {
  readonly bytes: number
  readonly ms: number
  readonly redirects: number
}

/**
 * Fetches what an address holds, with nothing of ours in the request; each redirect is checked like the address.
 * @throws CapstanError `code` for what is refused, or `api`, `timeout`, `network`
 */
export async function fetchUrl(url: URL, options: FetchOptions): Promise<Fetched> {
  const { what, signal, limits } = options
  // Not AbortSignal.timeout: nothing would hold on to that one, and collected it never aborts.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), limits.ms)
  const limited = AbortSignal.any([signal, late.signal])
  try {
    return await orAborted(limited, follow(url, { ...options, signal: limited }))
  } catch (error) {
    if (signal.aborted || isCapstanError(error)) throw error
    if (error instanceof PrivateName)
      throw outOfReach(options, `${error.message} leads to no public address, ${ruleOf(options.reach)}`)
    const isLate = late.signal.aborted
    const why = isLate ? `it did not come within ${limits.ms} ms` : reasonOf(error)
    const details = { retryable: true, cause: error }
    throw new CapstanError(isLate ? 'timeout' : 'network', sentence(what, why), details)
  } finally {
    clearTimeout(timer)
  }
}

async function follow(start: URL, options: FetchOptions): Promise<Fetched> {
  const { reach, limits } = options
  for (let url = start, redirects = 0; ; redirects++) {
    const refusal = refusalOf(url, reach)
    if (refusal) throw outOfReach(options, refusal)
    const got = await getChecked(url, options)
    const location = got.header('location')
    if (got.status < 300 || got.status > 399 || !location) return read(got, options)
    got.body?.cancel().catch(() => {})
    if (redirects === limits.redirects)
      throw refused(options, `it redirects more than ${limits.redirects} times`)
    if (!URL.canParse(location, url)) throw refused(options, `"${location.slice(0, 100)}" is no address`)
    url = new URL(location, url)
  }
}

async function read(got: Got, options: FetchOptions): Promise<Fetched> {
  const { what, limits, signal } = options
  const encoding = got.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    got.body?.cancel().catch(() => {})
    throw refused(options, `it came compressed (${encoding.slice(0, 20)}), which was not asked for`)
  }
  const held = await takeIn(limits.bytes, got.body, signal)
  if (!held) throw refused(options, `it is larger than ${limits.bytes} bytes`)
  const { status } = got
  if (status >= 200 && status < 300) {
    const [mediaType = ''] = (got.header('content-type') ?? '').toLowerCase().split(';')
    return { ...held, mediaType: mediaType.trim() }
  }
  const said = sentence(what, `the server answered ${status}: ${wordsOf(await bytesOf(held))}`)
  await held[Symbol.asyncDispose]()
  throw new CapstanError('api', said, { status, retryable: status >= 500 })
}

function outOfReach({ what, code, advice }: FetchOptions, why: string): CapstanError {
  return new CapstanError(code, `${sentence(what, why)} ${advice}`)
}

function refused({ what, code }: FetchOptions, why: string): CapstanError {
  return new CapstanError(code, sentence(what, why))
}

function sentence(what: string, why: string): string {
  return `${what} could not be fetched: ${why}.`
}
