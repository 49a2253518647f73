import { CapstanError } from '@capstan/core'
import type { ClientOptions } from 'openai'
import { isAboutKeys } from './media-error.js'
import { withErrorWords } from './with-error-words.js'

/** The part of an `openai` client (6 or 7, Azure's too) that is used. */
export interface MediaClient {
  readonly baseURL: string
  /** Only to keep it out of error messages. */
  readonly apiKey?: unknown
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
  withOptions(options: { fetch: typeof fetch }): unknown
}

type Post = (body: never, options: never) => { asResponse(): Promise<Response> }

/**
 * What an `openai` client is made of. `baseURL` (default `OPENAI_BASE_URL`) gets `/v1` when its path is empty;
 * `apiKey` (default `OPENAI_API_KEY`) may be `''`, which says that none is needed.
 */
export type MediaClientOptions = ClientOptions

/** Stands for "no key is needed": the `openai` client insists on one. */
export const noKey = 'none'

/**
 * How to get the client, made once, when first asked for.
 * @throws CapstanError `invalid_request` at once when a given `baseURL` is no http address
 */
export function toConnect(given: MediaClient | MediaClientOptions = {}): () => Promise<MediaClient> {
  if (!isClient(given) && given.baseURL) toBaseURL(given.baseURL)
  let client: Promise<MediaClient> | undefined
  return () => {
    client ??= connect(given).catch((error: unknown) => {
      // A missing key may be set by the next call.
      client = undefined
      throw error
    })
    return client
  }
}

async function connect(given: MediaClient | MediaClientOptions): Promise<MediaClient> {
  const client = isClient(given) ? given : await build(given)
  const { fetch: own = fetch, apiVersion, deploymentName: deployment } = client as Hidden
  // Azure's client of version 6 forgets both when it is copied.
  const azure = apiVersion === undefined ? {} : { apiVersion, deployment }
  try {
    return client.withOptions({ ...azure, fetch: withErrorWords(own) }) as MediaClient
  } catch {
    // Some clients take no other fetch, those with a certificate for one: all works but the words of errors.
    return client
  }
}

interface Hidden {
  readonly fetch?: typeof fetch
  readonly apiVersion?: string
  readonly deploymentName?: string
}

function isClient(given: MediaClient | MediaClientOptions): given is MediaClient {
  return 'images' in given && 'withOptions' in given
}

/** @throws CapstanError `auth` when there is no key */
async function build(options: MediaClientOptions): Promise<MediaClient> {
  const { OpenAI } = await import('openai')
  const baseURL = options.baseURL || (options.provider ? undefined : environment('OPENAI_BASE_URL'))
  try {
    return new OpenAI({
      ...options,
      ...(baseURL && { baseURL: toBaseURL(baseURL) }),
      ...(options.apiKey === '' && { apiKey: noKey }),
    })
  } catch (error) {
    if (!isAboutKeys(error)) throw error
    const message =
      'No API key for the media tools. Set OPENAI_API_KEY, or pass client: { apiKey }; an empty apiKey says that the server needs none.'
    throw new CapstanError('auth', message, { cause: error })
  }
}

function toBaseURL(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    const message = `baseURL "${text}" is no http address. It looks like https://api.example.com/v1.`
    throw new CapstanError('invalid_request', message, { evidence: { baseURL: text } })
  }
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (path === '' ? '/v1' : path)
}

/** Empty counts as not set. */
function environment(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined
}
