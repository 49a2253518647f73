import type { IncomingMessage } from 'node:http'
import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { abortable, rootCause } from '@capstan/core/internal'
import { partStream, readBuffer } from './byte-streams.js'
import { wordsOf } from './detect-type.js'
import {
  checkedLookup,
  isTrusted,
  type NameRules,
  PrivateName,
  type Reach,
  refusalOf,
  ruleOf,
  systemNames,
} from './ssrf-guard.js'
import { bytesOf, type Held, holdBytes, takeIn } from './stored-bytes.js'

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
    return await abortable(limited, follow(url, { ...options, signal: limited }))
  } catch (error) {
    if (signal.aborted || isCapstanError(error)) throw error
    if (error instanceof PrivateName)
      throw outOfReach(options, `${error.message} leads to no public address, ${ruleOf(options.reach)}`)
    const isLate = late.signal.aborted
    const why = isLate ? `it did not come within ${limits.ms} ms` : rootCause(error)
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

/** One answer, its body not yet read. */
interface Got {
  readonly status: number
  header(name: string): string | null
  readonly body: ReadableStream<Uint8Array> | null
}

interface GetOptions {
  readonly reach: Reach
  readonly signal: AbortSignal
  /** Default the system's. */
  readonly names?: NameRules
}

/**
 * One request, no redirect followed, nothing sent but the address. Over node:http the name's address is checked
 * and connected to in one; elsewhere fetch looks names up itself, unchecked.
 * @throws PrivateName for a name that is not public, or what the network says
 */
async function getChecked(url: URL, options: GetOptions): Promise<Got> {
  const { signal } = options
  if (globalThis.process?.getBuiltinModule?.('node:http')) return overNode(url, options)
  const response = await fetch(url, { redirect: 'manual', credentials: 'omit', signal })
  const { status, headers, body } = response
  return { status, header: (name) => headers.get(name), body }
}

function overNode(url: URL, { reach, signal, names = systemNames }: GetOptions): Promise<Got> {
  const { get } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const lookup = isTrusted(url, reach) ? {} : { lookup: checkedLookup(names) }
  // Without an agent: a kept connection of somebody else's was never checked.
  const { onread, isUsed } = readBuffer()
  const options = {
    ...lookup,
    onread,
    signal,
    agent: false as const,
    headers: { 'accept-encoding': 'identity' },
  }
  return new Promise((resolve, reject) => {
    get(url, options, (answer) => resolve(toGot(answer, isUsed())))
      .on('error', reject)
      // What is no answer, as another protocol, ends without an error.
      .on('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

function toGot(answer: IncomingMessage, isOwn: boolean): Got {
  return {
    status: answer.statusCode ?? 0,
    header: (name) => [answer.headers[name] ?? []].flat().join(', ') || null,
    body: partStream({ parts: answer, isOwn, end: () => answer.destroy() }),
  }
}

/** What a `data:` address holds; undefined for anything else, and for base64 that is none. */
export function parseDataUri(text: string): Fetched | undefined {
  // Not one expression over all of it: a picture has millions of characters.
  const comma = text.indexOf(',')
  const head = /^data:([^,;]*)([^,]*)$/i.exec(text.slice(0, Math.min(comma, 1000)))
  if (comma === -1 || !head) return undefined
  const [, mediaType = '', parameters = ''] = head
  const bytes = /;\s*base64\s*$/i.test(parameters)
    ? decodeBase64(decodeEscapes(text.slice(comma + 1)))
    : new TextEncoder().encode(decodeEscapes(text.slice(comma + 1)))
  return bytes && { ...holdBytes(bytes), mediaType: mediaType.trim().toLowerCase() }
}

function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The bytes of base64, in the URL-safe alphabet too; undefined for text that is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
    // A plain loop: Uint8Array.from takes twenty times as long, 0.4 s for a picture of 6 MB.
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}
