import {
  type Artifact,
  type ArtifactStore,
  CapstanError,
  type Spending,
  type ToolContext,
} from '@capstan/core'
import { abortable, withoutSecrets } from '@capstan/core/internal'
import { type Allow, checkAllow } from '../inputs/allow.js'
import { checkMediaOptions, defaultModels, type MediaModels, type MediaOptions } from '../options.js'
import type { RequestFields } from '../request-fields.js'
import { lazyConnect } from './client.js'
import { learnedDialectOf, type MediaDialect, retryWithDialect, toDialect } from './dialect.js'
import { type Endpoint, type OpenResponse, post } from './request.js'

/** What is needed to read a response: the store for artifacts, the call's signal, and limits for links. */
export interface ReadContext {
  readonly store: ArtifactStore
  readonly signal: AbortSignal
  /** Hosts to which links may point in addition to public ones, and limits on size and time. */
  readonly allow: Allow | undefined
  /** What to do with the partial images of a streamed response. */
  readonly partials: PartialImages
}

/** How partial images are stored and reported. */
export interface PartialImages {
  /** The maximum number of partial images to store. */
  readonly most: number
  /** Stores an image without making it part of a result. */
  readonly put: ArtifactStore['put']
  report(partialImage: Artifact<'image'>, index: number): void
}

interface MediaRequest<T> {
  readonly endpoint: Endpoint
  /** The fields of the request. Undefined fields are not sent. If a field is a file, the request is sent as a form. */
  readonly body: Readonly<Record<string, unknown>>
  /**
   * What the request spends. Reported to the run before the request is sent, so that a limit can prevent the request.
   */
  readonly spends: Spending
  /** The ids of the artifacts in the body. They become the parents of the results. */
  readonly parents?: readonly string[]
  read(reply: OpenResponse, context: ReadContext): Promise<T>
}

/** Sends the requests of the media tools, with their models, fields and dialect. */
export interface MediaService {
  readonly models: MediaModels
  /** Additional fields for each kind of request. */
  readonly fields: RequestFields
  /** Returns the dialect as far as it is known. */
  dialect(): MediaDialect
  storeOf(ctx: ToolContext): ArtifactStore
  /**
   * Sends a request and reads the response. Rejects immediately if the call is aborted. @throws CapstanError that names
   * the endpoint
   */
  send<T>(ctx: ToolContext, request: MediaRequest<T>): Promise<T>
}

export function toMediaService(options: MediaOptions): MediaService {
  checkMediaOptions(options)
  checkAllow(options.allow)
  const connect = lazyConnect(options.client)
  const storeOf = (ctx: ToolContext) => options.artifacts ?? ctx.artifacts
  const learned = learnedDialectOf(options.client ?? options)
  const dialect = () => ({ ...toDialect(options.dialect), ...learned.facts })
  return {
    models: { ...defaultModels, ...options.models },
    fields: options.request ?? {},
    dialect,
    storeOf,
    async send(ctx, request) {
      const { signal } = ctx
      signal.throwIfAborted()
      if (request.endpoint === '/images/variations' && !dialect().variations) throw variationsUnsupported()
      await ctx.spend(request.spends)
      const connection = await connect()
      const store = withOrigin(storeOf(ctx), request, ctx.artifacts)
      const context = {
        store,
        signal,
        allow: options.allow,
        partials: toPartials(storeOf(ctx), request, ctx),
      }
      const work = async () => {
        const send = (dialect: MediaDialect, again: string) =>
          post(connection, { ...request, dialect }, { signal, idempotencyKey: ctx.idempotencyKey + again })
        // A request that is not streamed reveals nothing about streams.
        const known = request.body.stream ? dialect() : { ...dialect(), imageStream: false }
        await using reply = await retryWithDialect(learned, known, send)
        return await request.read(reply, context)
      }
      return abortable(signal, work()).catch((thrown: unknown) => {
        throw withoutSecrets(thrown, connection.secrets, signal)
      })
    },
  }
}

function variationsUnsupported(): CapstanError {
  const message =
    'This server does not offer /images/variations. Edit the image instead, or generate a new one from a prompt.'
  return new CapstanError('unsupported', message, { evidence: { endpoint: '/images/variations' } })
}

/**
 * Returns the functions that handle partial images. Partial images are not results: like masks, they are stored without
 * a model's name.
 */
function toPartials(
  store: ArtifactStore,
  { body, parents = [], spends }: Pick<MediaRequest<unknown>, 'body' | 'parents' | 'spends'>,
  { progress }: ToolContext,
): PartialImages {
  const { partial_images: each, prompt } = body
  const origin = typeof prompt === 'string' ? { prompt } : {}
  return {
    most: Number(each ?? 0) * (spends.images ?? 1),
    put: (data, info) => store.put(data, { ...info, origin, parents }),
    report: (partialImage, index) => progress({ partialImage, index }),
  }
}

interface OriginInfo {
  readonly body: Readonly<Record<string, unknown>>
  readonly parents?: readonly string[]
}

/**
 * Wraps a store so that each artifact records the prompt, model and parents that it was made from. Calls `stat` on
 * `ofCall`, the call's own store, for each artifact, because a result may only contain artifacts that this store has
 * handled.
 */
export function withOrigin(
  store: ArtifactStore,
  { body, parents = [] }: OriginInfo,
  ofCall: Pick<ArtifactStore, 'stat'>,
): ArtifactStore {
  const { model, prompt = body.input } = body
  const origin = {
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }
  return {
    async put(data, info) {
      const artifact = await store.put(data, { ...info, origin, ...(parents.length > 0 ? { parents } : {}) })
      if (ofCall !== store) await ofCall.stat(artifact.id)
      return artifact
    },
    open: (id) => store.open(id),
    stat: (id) => store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
}
