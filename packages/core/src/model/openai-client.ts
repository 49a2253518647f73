import { CapstanError } from '../errors.js'
import { Secrets } from '../secrets/secrets.js'
import { refuseCredentials } from './base-url.js'
import { toTransportResponse } from './fetch-transport.js'
import { isShallow, JsonScanner } from './lenient-json.js'
import { collectProxySecrets } from './proxy-secrets.js'
import { IdleCloser } from './read-response.js'
import type { FailedResponse } from './response-errors.js'
import { defaultMaxBytes, rootCause } from './transport.js'

/** What the `openai` client's majors (6 and 7, Azure's too) have in common, as far as watching needs it. */
interface WatchableClient {
  readonly baseURL: string
  withOptions(options: { fetch: typeof fetch }): unknown
}

/** A client over a fetch that knows what it sent and keeps what failed. */
export interface WatchedClient<Client> {
  readonly client: Client
  /** What was really sent: keys from functions, token providers and default headers included. */
  readonly secrets: Secrets
  /** The error for what the client threw: `answered` makes it of a failed answer; without one nothing came. */
  toError(thrown: unknown, url: string, answered: (failed: FailedResponse) => CapstanError): CapstanError
}

/**
 * The client with its fetch watched: secrets are learnt from the headers it sends, bodies of failures are kept whole,
 * redirects are not followed. Of such a body `maxBytes` are read at most. @throws CapstanError `invalid_request` when its `baseURL` holds a password
 */
export function watchClient<Client extends WatchableClient>(
  given: Client,
  maxBytes: number = defaultMaxBytes,
): WatchedClient<Client> {
  refuseCredentials(given.baseURL)
  const secrets = new Secrets((known) => {
    // A client may take no other fetch, and a key that cannot be sent is quoted before any.
    collectClientSecrets(given, known)
    collectClientSecrets(client, known)
  })
  const bodies: Bodies = new WeakMap()
  const client = withFetch(given, watchFetch(given, { secrets, bodies, maxBytes }))
  return {
    client,
    secrets,
    toError(thrown, url, answered) {
      const failed = toFailedResponse(thrown, bodies)
      return failed ? answered(failed) : toConnectionError(thrown, { url, client })
    },
  }
}

/** By the headers object that the client's error shares with the answer. */
type Bodies = WeakMap<object, string>

function withFetch<Client extends WatchableClient>(client: Client, fetch: typeof globalThis.fetch): Client {
  // Azure's client of version 6 forgets both of these when it is copied.
  const { apiVersion, deploymentName: deployment } = client as {
    apiVersion?: string
    deploymentName?: string
  }
  const azure = apiVersion === undefined ? {} : { apiVersion, deployment }
  try {
    return client.withOptions({ ...azure, fetch }) as Client
  } catch {
    // Some clients take no other fetch, those with a certificate for one: all works but the words of errors.
    return client
  }
}

interface Watching {
  readonly secrets: Secrets
  readonly bodies: Bodies
  readonly maxBytes: number
}

function watchFetch(client: object, { secrets, bodies, maxBytes }: Watching): typeof fetch {
  const own = (client as { fetch?: typeof fetch }).fetch ?? fetch
  return async (input, init) => {
    secrets.learn(input instanceof Request ? input.url : String(input), init?.headers ?? {})
    const response = await own(input, { ...init, redirect: 'manual' })
    if (response.ok || response.status < 200) return response
    const body = await readErrorBody(response, maxBytes)
    const headers = new Headers(response.headers)
    // An endpoint that is not there will not be there in a second.
    if (response.status === 501) headers.set('x-should-retry', 'false')
    const kept = new Response(body === '' ? null : body, { status: response.status, headers })
    bodies.set(kept.headers, body)
    return kept
  }
}

/** The client keeps a parsed part of a failed answer at most, and the server's words may be in the rest. */
function toFailedResponse(thrown: unknown, bodies: Bodies): FailedResponse | undefined {
  const { status, headers, error, message } = Object(thrown) as Record<string, unknown>
  if (typeof status !== 'number' || !(headers instanceof Headers)) return undefined
  const told = isShallow(error, 100) ? (error ?? message) : message
  const body = bodies.get(headers) ?? JSON.stringify({ error: told })
  return { status, body, header: (name) => headers.get(name) }
}

/** Takes what an `openai` client of any major sends with each request, as far as its fields tell. */
function collectClientSecrets(client: object, secrets: Secrets): void {
  const { baseURL, _options: options, ...fields } = client as Record<string, unknown>
  const isAddress = typeof baseURL === 'string' && URL.canParse(baseURL)
  if (isAddress) secrets.learnAddress(baseURL)
  else secrets.add(baseURL)
  for (const name of ['apiKey', 'adminAPIKey', 'organization', 'project']) secrets.add(fields[name])
  const { apiKey, defaultHeaders, defaultQuery, fetchOptions } = Object(options) as Record<string, unknown>
  secrets.add(apiKey)
  for (const value of Object.values(Object(defaultQuery))) secrets.add(value)
  collectHeaderSecrets(defaultHeaders, secrets)
  const { dispatcher, headers } = Object(fetchOptions) as Record<string, unknown>
  collectHeaderSecrets(headers, secrets)
  collectProxySecrets(dispatcher, secrets)
}

/** In whichever form: a client keeps them in one of its own, with a `Headers` among its fields. */
function collectHeaderSecrets(given: unknown, secrets: Secrets): void {
  const { values } = Object(given) as { values?: unknown }
  const headers: unknown = values instanceof Headers ? values : given
  if (headers instanceof Headers) secrets.learn('', headers)
  else if (Array.isArray(headers)) secrets.learn('', headers)
  else
    secrets.learn(
      '',
      Object.entries(Object(headers)).map(([name, value]): [string, string] => [name, [value].flat().join()]),
    )
}

interface Asked {
  readonly url: string
  readonly client: object
}

/** The error for what an `openai` client threw without an answer: nothing came, or nothing was sent. */
function toConnectionError(thrown: unknown, { url, client }: Asked): CapstanError {
  return isOfKeyFunction(thrown, client) ? withoutKey(thrown, url) : noAnswer(thrown, url)
}

/** Whether a client refused to begin for want of a key. */
export function isAboutKeys(thrown: unknown): boolean {
  return /missing credentials|authentication method/i.test(String(thrown))
}

/** Whether the function that gives a client its key failed: all that is no word of an answer, nor of a header. */
function isOfKeyFunction(thrown: unknown, client: object): boolean {
  if (/'apiKey' function/.test(String(thrown))) return true
  const { _options: options } = client as { _options?: { apiKey?: unknown } }
  return (
    typeof options?.apiKey === 'function' && !('status' in Object(thrown)) && !(thrown instanceof TypeError)
  )
}

/** What such a function throws may hold any key, and nobody here knows which. */
function withoutKey(thrown: unknown, url: string): CapstanError {
  const why = `the function that gives the client its key failed (${kindOf(thrown)})`
  return new CapstanError('auth', `Nothing was sent to ${shown(url)}: ${why}.`)
}

function noAnswer(thrown: unknown, url: string): CapstanError {
  const reason = rootCause(thrown)
  if (isAboutKeys(thrown)) {
    return new CapstanError('auth', `Nothing was sent to ${shown(url)}: ${reason}.`, { cause: thrown })
  }
  const code = /timed? ?out/i.test(`${thrown} ${reason}`) ? 'timeout' : 'network'
  const message = `No answer from ${shown(url)}: ${reason}. Check baseURL and whether the server runs.`
  return new CapstanError(code, message, { retryable: true, cause: thrown })
}

/** An address without its parameters, which may be keys. */
function shown(url: string): string {
  if (!URL.canParse(url)) return 'a baseURL that is no address'
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** The class of the error at the end of its causes. */
function kindOf(thrown: unknown): string {
  const { cause } = Object(thrown) as { cause?: unknown }
  const name: unknown = Object(cause ?? thrown).constructor?.name
  return typeof name === 'string' && /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : 'Error'
}

/** The body of a failed answer as far as it comes, up to `maxBytes`: its server may keep the connection, or break it. */
async function readErrorBody(response: Response, maxBytes: number): Promise<string> {
  const { read, leave } = toTransportResponse(response)
  const decoder = new TextDecoder()
  const edge = new JsonScanner()
  const linger = new IdleCloser(leave)
  let words = ''
  let length = 0
  linger.look({ isFinished: true, isWhole: false })
  try {
    await read((bytes) => {
      length += bytes.byteLength
      if (length > maxBytes) return false
      const piece = decoder.decode(bytes, { stream: true })
      words += piece
      edge.add(piece)
      linger.look({ isFinished: true, isWhole: edge.isClosed })
      return true
    })
  } catch {
    // The status says that it failed; these are only words.
  } finally {
    linger.stop()
  }
  return words + decoder.decode()
}
