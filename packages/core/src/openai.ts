import { toTransportResponse } from './ask/fetch-transport.js'
import type { ChatModel } from './ask/model.js'
import { modelOver, type Politeness } from './ask/model-over.js'
import { toApiError } from './ask/response-error.js'
import { toHeaderText } from './ask/sendable.js'
import type { Transport } from './ask/transport.js'
import { type WatchedClient, watchClient } from './ask/watch-client.js'

/** The part of an `openai` client (6 or 7, Azure's too) that is used. */
export interface OpenAIClient {
  readonly baseURL: string
  readonly chat: {
    readonly completions: { create(body: never, options: never): { asResponse(): Promise<Response> } }
  }
  withOptions(options: { fetch: typeof fetch }): unknown
}

/**
 * A model asked through a given `openai` client: its address, keys, proxies, gateways and `timeout` are used. Its
 * retries and its reading of answers are not: both are `chatModel`'s own. Redirects are not followed.
 * @throws CapstanError `invalid_request` at once when the client's `baseURL` holds a password
 */
export function openaiModel(client: OpenAIClient, name: string, options: Politeness = {}): ChatModel {
  const watched = watchClient(client)
  return modelOver({
    ...options,
    name,
    secrets: watched.secrets,
    transport: clientTransport(watched),
    address: ({ idempotencyKey }) => ({
      url: client.baseURL,
      headers: { 'idempotency-key': toHeaderText(idempotencyKey) },
    }),
  })
}

type Sender = (body: object, options: object) => { asResponse(): Promise<Response> }

function clientTransport({ client, toError }: WatchedClient<OpenAIClient>): Transport {
  const { completions } = client.chat
  const send = completions.create.bind(completions) as unknown as Sender
  return async ({ url, headers, body, signal }) => {
    try {
      const response = await send(JSON.parse(body), { headers, signal, maxRetries: 0 }).asResponse()
      return toTransportResponse(response, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw toError(error, url, toApiError)
    }
  }
}
