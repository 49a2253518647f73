import { CapstanError } from '@capstan/core'
import { getEnv, isAboutKeys, toBaseURL, type WatchedClient, watchClient } from '@capstan/core/internal'
import type { ClientOptions } from 'openai'
import { overNode } from './node-fetch.js'

/** The part of an `openai` client (6 or 7, Azure's too) that is used. */
export interface MediaClient {
  readonly baseURL: string
  /** In milliseconds. */
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
  /** Any other request: an edit as JSON. */
  post(path: string, options: never): { asResponse(): Promise<Response> }
  withOptions(options: { fetch: typeof fetch }): unknown
}

type Post = (body: never, options: never) => { asResponse(): Promise<Response> }

/**
 * What an `openai` client is made of. `baseURL` (default `OPENAI_BASE_URL`) gets `/v1` when its path is empty,
 * and its parameters are sent along; `apiKey` (default `OPENAI_API_KEY`) may be `''`, which says that none is
 * needed. Redirects are not followed.
 */
export type MediaClientOptions = ClientOptions

/**
 * How to get the client, made once, when first asked for.
 * @throws CapstanError `invalid_request` at once when a given `baseURL` is no http address, or holds a password
 */
export function toConnect(given: MediaClient | MediaClientOptions = {}): () => Promise<Connection> {
  if (!isClient(given) && given.baseURL) toBaseURL(given.baseURL)
  let client: Promise<Connection> | undefined
  return () => {
    client ??= connect(given).catch((error: unknown) => {
      // A missing key may be set by the next call.
      client = undefined
      throw error
    })
    return client
  }
}

export type Connection = WatchedClient<MediaClient>

async function connect(given: MediaClient | MediaClientOptions): Promise<Connection> {
  return watchClient(isClient(given) ? given : await build(given))
}

function isClient(given: MediaClient | MediaClientOptions): given is MediaClient {
  return 'images' in given && 'withOptions' in given
}

/** @throws CapstanError `auth` when there is no key */
async function build(options: MediaClientOptions): Promise<MediaClient> {
  const { OpenAI } = await import('openai')
  const baseURL = options.baseURL || (options.provider ? undefined : getEnv('OPENAI_BASE_URL'))
  const { address, query } = baseURL ? toBaseURL(baseURL) : {}
  const own = options.fetch ?? (options.fetchOptions ? undefined : overNode)
  try {
    return new OpenAI({
      ...options,
      ...(own && { fetch: own }),
      ...(address && { baseURL: address }),
      ...(query && { defaultQuery: { ...parametersOf(query), ...options.defaultQuery } }),
      ...(options.apiKey === '' && { apiKey: noKey, fetch: withoutNoKey(own ?? fetch) }),
    })
  } catch (error) {
    if (!isAboutKeys(error)) throw error
    const message =
      'No API key for the media tools. Set OPENAI_API_KEY, or pass client: { apiKey }; an empty apiKey says that the server needs none.'
    throw new CapstanError('auth', message, { cause: error })
  }
}

/** The client would send its paths as part of a parameter. */
function parametersOf(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** Stands for "no key is needed": the `openai` client insists on one. */
const noKey = 'none'

/** Takes only that key away: an `authorization` among the user's own headers stays. */
function withoutNoKey(own: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    if (headers.get('authorization') === `Bearer ${noKey}`) headers.delete('authorization')
    return own(input, { ...init, headers })
  }
}
