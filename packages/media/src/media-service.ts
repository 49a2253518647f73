import type { ArtifactStore, Spending, ToolContext } from '@capstan/core'
import { orAborted, toHeaderText, withoutSecrets } from '@capstan/core/wire'
import { type Connection, type MediaClient, toConnect } from './media-client.js'
import { toMediaError } from './media-error.js'
import { defaultModels, type MediaModels, type MediaOptions } from './media-options.js'

/** The endpoints of the service that media needs, below its base URL. */
export type Endpoint = keyof typeof posts

/** A whole answer of the service with a status that says it is one. */
export interface Reply {
  readonly endpoint: Endpoint
  readonly baseURL: string
  readonly bytes: Uint8Array
  /** From `Content-Type`: lower case, without parameters, `''` where there was none. */
  readonly mediaType: string
}

/** What a reader of answers has besides the answer. */
export interface ReadContext {
  readonly store: ArtifactStore
  readonly signal: AbortSignal
}

export interface MediaRequest<T> {
  readonly endpoint: Endpoint
  /** Fields of the request; undefined ones are not sent, files make it a form. */
  readonly body: Readonly<Record<string, unknown>>
  /** What it uses: said to the run before it is sent, so that a limit can forbid it. */
  readonly spends: Spending
  read(reply: Reply, context: ReadContext): Promise<T>
}

/** The service as the tools use it. */
export interface MediaService {
  readonly models: MediaModels
  storeOf(ctx: ToolContext): ArtifactStore
  /** Sends a request and reads its answer; an abort of the call rejects at once. @throws CapstanError naming the endpoint */
  ask<T>(ctx: ToolContext, request: MediaRequest<T>): Promise<T>
}

export function toMediaService(options: MediaOptions): MediaService {
  const connect = toConnect(options.client)
  const storeOf = (ctx: ToolContext) => options.artifacts ?? ctx.artifacts
  return {
    models: { ...defaultModels, ...options.models },
    storeOf,
    async ask(ctx, request) {
      const { signal } = ctx
      signal.throwIfAborted()
      ctx.spend(request.spends)
      const connection = await connect()
      const work = async () =>
        request.read(await post(connection, request, ctx), { store: storeOf(ctx), signal })
      return withoutSecrets(connection.secrets, () => orAborted(signal, work()), signal)
    },
  }
}

const posts = {
  '/images/generations': ({ images }: MediaClient) => images.generate.bind(images),
  '/images/edits': ({ images }: MediaClient) => images.edit.bind(images),
  '/images/variations': ({ images }: MediaClient) => images.createVariation.bind(images),
  '/audio/transcriptions': ({ audio }: MediaClient) => audio.transcriptions.create.bind(audio.transcriptions),
  '/audio/translations': ({ audio }: MediaClient) => audio.translations.create.bind(audio.translations),
  '/audio/speech': ({ audio }: MediaClient) => audio.speech.create.bind(audio.speech),
} as const

async function post(
  { client, toError }: Connection,
  { endpoint, body }: MediaRequest<unknown>,
  { signal, idempotencyKey }: ToolContext,
): Promise<Reply> {
  // The client types bodies by its own major's rules; ours are those of the interface.
  const send = posts[endpoint](client) as unknown as (body: object, options: object) => Answering
  const headers = { 'idempotency-key': toHeaderText(idempotencyKey) }
  try {
    const response = await send(body, { signal, headers }).asResponse()
    const [mediaType = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { endpoint, baseURL: client.baseURL, bytes, mediaType: mediaType.trim() }
  } catch (error) {
    throw toError(error, `${client.baseURL}${endpoint}`, (failed) => toMediaError(endpoint, failed))
  }
}

interface Answering {
  asResponse(): Promise<Response>
}
