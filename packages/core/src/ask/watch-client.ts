import { Secrets } from '../secrets/secrets.js'
import type { CapstanError } from '../words/error.js'
import { learnClient } from './client-secrets.js'
import { isShallow } from './loose.js'
import type { FailedResponse } from './response-error.js'
import { refuseCredentials } from './to-base-url.js'
import { defaultMaxBytes } from './transport.js'
import { toUnanswered } from './unanswered.js'
import { wordsOf } from './words-of-failure.js'

/** What the `openai` client's majors (6 and 7, Azure's too) have in common, as far as watching needs it. */
export interface WatchableClient {
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
    learnClient(given, known)
    learnClient(client, known)
  })
  const bodies: Bodies = new WeakMap()
  const client = withFetch(given, watchFetch(given, { secrets, bodies, maxBytes }))
  return {
    client,
    secrets,
    toError(thrown, url, answered) {
      const failed = toFailedResponse(thrown, bodies)
      return failed ? answered(failed) : toUnanswered(thrown, { url, client })
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
    const body = await wordsOf(response, maxBytes)
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
