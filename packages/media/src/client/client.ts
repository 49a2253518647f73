import { CapstanError } from '@capstan/core'
import { getEnv, isMissingKeyError, toBaseURL, type WatchedClient, watchClient } from '@capstan/core/internal'
import type { ClientOptions } from 'openai'
import { nodeFetch } from './node-fetch.js'

/** The part of an `openai` client that the tools use. It is the same in versions 6 and 7 and in Azure's client. */
export interface MediaClient {
  readonly baseURL: string
  /** The client's timeout in milliseconds. */
  readonly timeout?: number
  readonly images: {
    readonly generate: Post
    readonly edit: Post
    readonly createVariation: Post
  }
  readonly audio: {
    readonly transcriptions: { readonly create: Post }
    readonly translations: { readonly create: Post }
    readonly speech: { readonly create: Post }
  }
  /** Sends any other request, such as an edit that is sent as JSON. */
  post(path: string, options: never): { asResponse(): Promise<Response> }
  withOptions(options: { fetch: typeof fetch }): unknown
}

type Post = (body: never, options: never) => { asResponse(): Promise<Response> }

/**
 * Options for an `openai` client. `baseURL` defaults to `OPENAI_BASE_URL`. If the path of `baseURL` is empty, `/v1` is
 * added. The query parameters of `baseURL` are added to each request. `apiKey` defaults to `OPENAI_API_KEY`. Use `''`
 * if the server needs no key. Redirects are not followed.
 */
export interface MediaClientOptions extends ClientOptions {}

/**
 * Returns a function that creates the client on first use.
 * @throws CapstanError `invalid_request` immediately if `baseURL` is not an http(s) URL or contains a password
 */
export function lazyConnect(given: MediaClient | MediaClientOptions = {}): () => Promise<Connection> {
  if (!isClient(given) && given.baseURL) toBaseURL(given.baseURL)
  let client: Promise<Connection> | undefined
  return () => {
    client ??= connect(given).catch((error: unknown) => {
      // The user may set the missing key before the next call.
      client = undefined
      throw error
    })
    return client
  }
}

export type Connection = WatchedClient<MediaClient>

async function connect(given: MediaClient | MediaClientOptions): Promise<Connection> {
  return watchClient(isClient(given) ? given : await buildClient(given))
}

function isClient(given: MediaClient | MediaClientOptions): given is MediaClient {
  return 'images' in given && 'withOptions' in given
}

/** Creates an `openai` client. @throws CapstanError `auth` if there is no key */
async function buildClient(options: MediaClientOptions): Promise<MediaClient> {
  const { OpenAI } = await import('openai')
  const baseURL = options.baseURL || (options.provider ? undefined : getEnv('OPENAI_BASE_URL'))
  const { address, query } = baseURL ? toBaseURL(baseURL) : {}
  const own = options.fetch ?? (options.fetchOptions ? undefined : nodeFetch)
  try {
    return new OpenAI({
      ...options,
      ...(own && { fetch: own }),
      ...(address && { baseURL: address }),
      ...(query && { defaultQuery: { ...parametersOf(query), ...options.defaultQuery } }),
      ...(options.apiKey === '' && { apiKey: keyPlaceholder, fetch: withoutPlaceholder(own ?? fetch) }),
    })
  } catch (error) {
    if (!isMissingKeyError(error)) throw error
    const message =
      'No API key for the media tools. Set OPENAI_API_KEY or client: { apiKey }. If the server needs no key, set apiKey to "".'
    throw new CapstanError('auth', message, { cause: error })
  }
}

/** Parses query parameters. If they stayed in the URL, the client would append its paths to the last one. */
function parametersOf(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** A placeholder for an empty key, because the `openai` client requires a key. */
const keyPlaceholder = 'none'

/** Wraps a `fetch` so that it does not send the placeholder. Keeps an `authorization` header that the user has set. */
function withoutPlaceholder(own: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    if (headers.get('authorization') === `Bearer ${keyPlaceholder}`) headers.delete('authorization')
    return own(input, { ...init, headers })
  }
}
