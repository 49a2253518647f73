import { fromUtf8 } from './bytes.js'
import { invalidRequest } from './errors.js'
import { standardOfModels } from './features.js'
import {
  chatProtocol,
  createChatModel,
  dialectOf,
  elsewhere,
  kindsOf,
  type RequestLimits,
  senderHeader,
  sharedOptionKinds,
  toHeaderText,
  type VisionOptions,
} from './model/chat-model.js'
import { receiveResponse } from './model/fetch-transport.js'
import { setsUserAgent, type WatchedClient, watchClient } from './model/openai-client.js'
import type { RecoverOptions, WindowOptions } from './model/protocol.js'
import { toApiError } from './model/response-errors.js'
import { checkName } from './model/retry.js'
import { type Timeouts, toTimeouts } from './model/transport.js'
import { checkOptionNames, kindOf } from './option-names.js'
import { withSecretsOf } from './secrets/secrets.js'
import type { ChatModel, Transport } from './types/model.js'

/** The part of a client from the `openai` package (version 6 or 7, also for Azure) that the model uses. */
export interface OpenAIClient {
  readonly baseURL: string
  readonly chat: {
    readonly completions: { create(body: never, options: never): { asResponse(): Promise<Response> } }
  }
  withOptions(options: { fetch: typeof fetch }): unknown
}

export interface OpenAIModelOptions extends VisionOptions, RequestLimits, RecoverOptions, WindowOptions {
  /**
   * Time limits in milliseconds: `idle` between two chunks of the reply (default 120,000) and `total` for the request
   * (default 600,000). A number sets `total`. The client's own `timeout` limits only the wait for headers.
   */
  readonly timeoutMs?: number | Partial<Pick<Timeouts, 'idle' | 'total'>>
}

/**
 * Creates a model that sends its requests through your `openai` client. The client's URL, keys, proxies, gateways and
 * `timeout` apply. Retries and response parsing work as in `chatModel`. Redirects are not followed.
 * @throws CapstanError `invalid_request` immediately if `client` is not an `openai` client, its `baseURL` contains a
 * password, the name is missing, or an option is unknown
 */
export function openaiModel(client: OpenAIClient, name: string, options: OpenAIModelOptions = {}): ChatModel {
  const { chat, withOptions } = Object(client) as Partial<OpenAIClient>
  if (typeof chat?.completions?.create !== 'function' || typeof withOptions !== 'function') {
    const message = `openaiModel needs an openai client, not ${kindOf(client)}. Use openaiModel(new OpenAI(), name).`
    throw invalidRequest(message)
  }
  checkName(name, 'chatModel')
  const features = standardOfModels.map((make) => make())
  checkOptionNames(options, { ...sharedOptionKinds, ...kindsOf(features) }, { of: 'openaiModel', elsewhere })
  const watched = watchClient(client, options.maxBytes)
  const sender = setsUserAgent(client) ? {} : senderHeader()
  const model = createChatModel({
    options,
    name,
    protocol: chatProtocol,
    secrets: watched.secrets,
    transport: clientTransport(watched, {
      ...toTimeouts(options.timeoutMs),
      firstByte: Infinity,
    }),
    features,
    url: () => client.baseURL,
    headers: ({ idempotencyKey, headers }) => ({
      ...sender,
      ...headers,
      'idempotency-key': toHeaderText(idempotencyKey),
    }),
  })
  const structuredOutput = dialectOf(client.baseURL) === 'openai'
  return withSecretsOf({ ...model, structuredOutput }, [watched.secrets])
}

type Sender = (body: object, options: object) => { asResponse(): Promise<Response> }

function clientTransport({ client, toError }: WatchedClient<OpenAIClient>, timeouts: Timeouts): Transport {
  const { completions } = client.chat
  const send = completions.create.bind(completions) as unknown as Sender
  return ({ url, headers, body, signal }) => {
    const sendRequest = (stop: AbortSignal) =>
      send(JSON.parse(fromUtf8(body)), { headers, signal: stop, maxRetries: 0 }).asResponse()
    return receiveResponse(sendRequest, {
      timeouts,
      signal,
      toError: (thrown) => toError(thrown, url, toApiError),
    })
  }
}
