import { ignore } from '../async.js'
import { CapstanError } from '../errors.js'
import { collectProxySecrets, Secrets } from '../secrets/secrets.js'
import { rejectCredentials } from './chat-model.js'
import { toTransportResponse } from './fetch-transport.js'
import { closeWhenIdle } from './read-response.js'
import { isShallow, JsonScanner } from './reply-fields.js'
import type { FailedResponse } from './response-errors.js'
import { defaultMaxBytes, rootCause } from './transport.js'

/**
 * The parts of the `openai` client that `watchClient` uses. Versions 6 and 7 and Azure's client all have these parts.
 */
interface WatchableClient {
  readonly baseURL: string
  withOptions(options: { fetch: typeof fetch }): unknown
}

/** A client whose fetch records secrets and failed responses. */
export interface WatchedClient<Client> {
  readonly client: Client
  /** The secrets that were sent, including keys from functions, token providers and default headers. */
  readonly secrets: Secrets
  /**
   * Converts an error that the client threw. For a failed response, calls `toResponseError`; without a response,
   * returns the error of a failed connection.
   */
  toError(
    thrown: unknown,
    url: string,
    toResponseError: (failed: FailedResponse) => CapstanError,
  ): CapstanError
}

/**
 * Wraps the fetch of a client: collects secrets from sent headers, keeps the complete bodies of failed responses (up to
 * `maxBytes`), and follows no redirects.
 * @throws CapstanError `invalid_request` if the client's `baseURL` contains a user name or password
 */
export function watchClient<Client extends WatchableClient>(
  given: Client,
  maxBytes: number = defaultMaxBytes,
): WatchedClient<Client> {
  rejectCredentials(given.baseURL)
  const secrets = new Secrets((known) => {
    // A client may reject a custom fetch. A key that cannot be sent appears in an error before any fetch.
    collectClientSecrets(given, known)
    collectClientSecrets(client, known)
  })
  const bodies: ErrorBodies = new WeakMap()
  const client = withFetch(given, watchFetch(given, { secrets, bodies, maxBytes }))
  return {
    client,
    secrets,
    toError(thrown, url, toResponseError) {
      const failed = toFailedResponse(thrown, bodies)
      return failed ? toResponseError(failed) : toConnectionError(thrown, { url, client })
    },
  }
}

/** Response bodies, by the headers object that the client's error shares with the response. */
type ErrorBodies = WeakMap<object, string>

function withFetch<Client extends WatchableClient>(client: Client, fetch: typeof globalThis.fetch): Client {
  // Version 6 of Azure's client loses both fields when it is copied.
  const { apiVersion, deploymentName: deployment } = client as {
    apiVersion?: string
    deploymentName?: string
  }
  const azure = apiVersion === undefined ? {} : { apiVersion, deployment }
  try {
    return client.withOptions({ ...azure, fetch }) as Client
  } catch {
    // Some clients, such as those with a certificate, reject a custom fetch. If so, only error bodies are missing.
    return client
  }
}

interface WatchOptions {
  readonly secrets: Secrets
  readonly bodies: ErrorBodies
  readonly maxBytes: number
}

function watchFetch(client: object, { secrets, bodies, maxBytes }: WatchOptions): typeof fetch {
  const originalFetch = (client as { fetch?: typeof fetch }).fetch ?? fetch
  return async (input, init) => {
    secrets.learn(input instanceof Request ? input.url : String(input), init?.headers ?? {})
    const response = await originalFetch(input, { ...init, redirect: 'manual' })
    if (response.ok || response.status < 200) return response
    const body = await readErrorBody(response, maxBytes)
    const headers = new Headers(response.headers)
    // A missing endpoint stays missing, so a retry is useless.
    if (response.status === 501) headers.set('x-should-retry', 'false')
    const copy = new Response(body === '' ? null : body, { status: response.status, headers })
    // Some servers replace the global Response with one that returns a new headers object on each access.
    Object.defineProperty(copy, 'headers', { value: headers })
    bodies.set(headers, body)
    return copy
  }
}

/**
 * Returns the failed response behind a client's error. Undefined if there is none. The client keeps at most a parsed
 * part of the body, and the server's message may be in the rest, so the recorded body is used.
 */
function toFailedResponse(thrown: unknown, bodies: ErrorBodies): FailedResponse | undefined {
  const { status, headers, error, message } = Object(thrown) as Record<string, unknown>
  if (typeof status !== 'number' || !(headers instanceof Headers)) return undefined
  const parsed = isShallow(error, 100) ? (error ?? message) : message
  const body = bodies.get(headers) ?? JSON.stringify({ error: parsed })
  return { status, body, header: (name) => headers.get(name) }
}

/** Collects the secrets that an `openai` client of any major version sends, as far as its fields show them. */
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

function collectHeaderSecrets(given: unknown, secrets: Secrets): void {
  secrets.learn('', toEntries(given))
}

/**
 * Returns headers, in any form, as an array of names and values. A client keeps headers in its own object, which
 * contains a `Headers`.
 */
function toEntries(given: unknown): [string, string][] {
  const { values } = Object(given) as { values?: unknown }
  const headers: unknown = values instanceof Headers ? values : given
  if (headers instanceof Headers) return [...headers]
  if (Array.isArray(headers)) return headers
  return Object.entries(Object(headers)).map(([name, value]) => [name, [value].flat().join()])
}

/** Whether the `openai` client has a custom `user-agent`. */
export function setsUserAgent(client: object): boolean {
  const { defaultHeaders } = Object((client as { _options?: unknown })._options) as {
    defaultHeaders?: unknown
  }
  return toEntries(defaultHeaders).some(([name]) => String(name).toLowerCase() === 'user-agent')
}

interface ConnectionTarget {
  readonly url: string
  readonly client: object
}

/** Creates the error for a failure without a response. */
function toConnectionError(thrown: unknown, { url, client }: ConnectionTarget): CapstanError {
  return isKeyFunctionError(thrown, client) ? keyFunctionError(thrown, url) : noResponseError(thrown, url)
}

/** Whether a client failed because it has no key. */
export function isMissingKeyError(thrown: unknown): boolean {
  return /missing credentials|authentication method/i.test(String(thrown))
}

/**
 * Whether the function that returns a client's key failed. Such an error comes from neither a response nor an invalid
 * header.
 */
function isKeyFunctionError(thrown: unknown, client: object): boolean {
  if (/'apiKey' function/.test(String(thrown))) return true
  const { _options: options } = client as { _options?: { apiKey?: unknown } }
  return (
    typeof options?.apiKey === 'function' && !('status' in Object(thrown)) && !(thrown instanceof TypeError)
  )
}

/**
 * Creates the error for a failed key function. The error omits the original message, which may contain an unknown key.
 */
function keyFunctionError(thrown: unknown, url: string): CapstanError {
  const reason = `the apiKey function of the client failed (${errorClassName(thrown)})`
  return new CapstanError('auth', `Nothing was sent to ${displayUrl(url)}: ${reason}.`)
}

function noResponseError(thrown: unknown, url: string): CapstanError {
  const reason = rootCause(thrown)
  if (isMissingKeyError(thrown)) {
    return new CapstanError('auth', `Nothing was sent to ${displayUrl(url)}: ${reason}.`, { cause: thrown })
  }
  const code = /timed? ?out/i.test(`${thrown} ${reason}`) ? 'timeout' : 'network'
  const message = `Cannot reach ${displayUrl(url)}: ${reason}. Check baseURL, and that the server is up.`
  return new CapstanError(code, message, { retryable: true, cause: thrown })
}

/** Returns a URL without its query, which may contain keys. */
function displayUrl(url: string): string {
  if (!URL.canParse(url)) return 'an invalid baseURL'
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Returns the class name of the innermost cause, or `Error` if it has no plain name. */
function errorClassName(thrown: unknown): string {
  const { cause } = Object(thrown) as { cause?: unknown }
  const name: unknown = Object(cause ?? thrown).constructor?.name
  return typeof name === 'string' && /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : 'Error'
}

/**
 * Reads the body of a failed response, up to `maxBytes`. Tolerates servers that break the connection or keep it open.
 */
async function readErrorBody(response: Response, maxBytes: number): Promise<string> {
  const open = toTransportResponse(response, new AbortController().signal, ignore)
  const decoder = new TextDecoder()
  const scanner = new JsonScanner()
  const body = {
    isFinished: true,
    get isWhole() {
      return scanner.isClosed
    },
  }
  const timer = closeWhenIdle(body, open)
  let text = ''
  let length = 0
  try {
    await open.read((bytes) => {
      length += bytes.byteLength
      if (length > maxBytes) return false
      const piece = decoder.decode(bytes, { stream: true })
      text += piece
      scanner.add(piece)
      return true
    })
  } catch {
    // The status already shows the failure; the body only adds the message.
  } finally {
    clearInterval(timer)
  }
  return text + decoder.decode()
}
