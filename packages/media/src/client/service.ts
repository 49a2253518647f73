import { type ArtifactStore, CapstanError, type Spending, type ToolContext } from '@capstan/core'
import { abortable, withoutSecrets } from '@capstan/core/internal'
import { type Allow, checkAllow } from '../inputs/allow.js'
import { defaultModels, type MediaModels, type MediaOptions } from '../options.js'
import { toConnect } from './client.js'
import { learnedOf, type MediaDialect, toDialect, withLearning } from './dialect.js'
import { type Endpoint, post, type Reply } from './request.js'

export type { Reply } from './request.js'

/** What a reader of answers has besides the answer. */
export interface ReadContext {
  readonly store: ArtifactStore
  readonly signal: AbortSignal
  /** Where links may lead besides public addresses, and the limits of what is fetched. */
  readonly allow: Allow | undefined
}

interface MediaRequest<T> {
  readonly endpoint: Endpoint
  /** Fields of the request; undefined ones are not sent, files make it a form. */
  readonly body: Readonly<Record<string, unknown>>
  /** What it uses: said to the run before it is sent, so that a limit can forbid it. */
  readonly spends: Spending
  /** Ids of the artifacts in the body: results say that they were made from them. */
  readonly parents?: readonly string[]
  read(reply: Reply, context: ReadContext): Promise<T>
}

/** The service as the tools use it. */
export interface MediaService {
  readonly models: MediaModels
  /** What the server can do, as far as it is known by now. */
  dialect(): MediaDialect
  storeOf(ctx: ToolContext): ArtifactStore
  /** Sends a request and reads its answer; an abort of the call rejects at once. @throws CapstanError naming the endpoint */
  ask<T>(ctx: ToolContext, request: MediaRequest<T>): Promise<T>
}

export function toMediaService(options: MediaOptions): MediaService {
  checkAllow(options.allow)
  const connect = toConnect(options.client)
  const storeOf = (ctx: ToolContext) => options.artifacts ?? ctx.artifacts
  const learned = learnedOf(options.client ?? options)
  const dialect = () => ({ ...toDialect(options.dialect), ...learned.facts })
  return {
    models: { ...defaultModels, ...options.models },
    dialect,
    storeOf,
    async ask(ctx, request) {
      const { signal } = ctx
      signal.throwIfAborted()
      if (request.endpoint === '/images/variations' && !dialect().variations) throw noVariations()
      ctx.spend(request.spends)
      const connection = await connect()
      const store = withOrigin(storeOf(ctx), request, ctx.artifacts)
      const work = async () => {
        const send = (dialect: MediaDialect, again: string) =>
          post(connection, { ...request, dialect }, { signal, idempotencyKey: ctx.idempotencyKey + again })
        await using reply = await withLearning(learned, dialect(), send)
        return await request.read(reply, { store, signal, allow: options.allow })
      }
      return withoutSecrets(connection.secrets, () => abortable(signal, work()), signal)
    },
  }
}

function noVariations(): CapstanError {
  const message =
    '/images/variations is not offered by this server. Edit the image instead, or generate a new one by a prompt.'
  return new CapstanError('unsupported', message, { evidence: { endpoint: '/images/variations' } })
}

interface Making {
  readonly body: Readonly<Record<string, unknown>>
  readonly parents?: readonly string[]
}

/**
 * The store, adding to each artifact the prompt, model and artifacts that made it. `ofCall` is the store of the call:
 * it is asked for each artifact, since a result's artifacts are those that it gave.
 */
export function withOrigin(
  store: ArtifactStore,
  { body, parents = [] }: Making,
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
