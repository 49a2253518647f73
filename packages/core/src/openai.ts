import { toTransportResponse } from './ask/fetch-transport.js'
import type { ChatModel } from './ask/model.js'
import { modelOver, type Politeness } from './ask/model-over.js'
import type { Transport } from './ask/transport.js'
import { CapstanError, messageOf } from './words/error.js'

/** The part of an `openai` client (6 or 7, Azure's too) that is used. */
export interface OpenAIClient {
  readonly baseURL: string
  readonly chat: {
    readonly completions: { create(body: never, options: never): { asResponse(): Promise<Response> } }
  }
  withOptions(options: { maxRetries: number; fetch: typeof fetch }): unknown
}

/**
 * A model asked through a given `openai` client: its address, keys, proxies and gateways are used. Its retries and
 * its reading of answers are not: both are `chatModel`'s own.
 */
export function openaiModel(client: OpenAIClient, name: string, options: Politeness = {}): ChatModel {
  return modelOver({
    ...options,
    name,
    transport: clientTransport(client),
    address({ idempotencyKey }) {
      const { apiKey } = client as { apiKey?: unknown }
      const secrets = typeof apiKey === 'string' ? [apiKey] : []
      return { url: client.baseURL, headers: { 'idempotency-key': idempotencyKey }, secrets }
    },
  })
}

type Sender = (body: object, options: object) => { asResponse(): Promise<Response> }

function clientTransport(client: OpenAIClient): Transport {
  const bodies = new WeakMap<object, string>()
  const wired = client.withOptions({
    ...azure(client),
    maxRetries: 0,
    fetch: keepingErrorBodies(client, bodies),
  }) as OpenAIClient
  const { completions } = wired.chat
  const send = completions.create.bind(completions) as unknown as Sender
  return async ({ url, headers, body, signal }) => {
    try {
      const response = await send(JSON.parse(body), { headers, signal }).asResponse()
      return toTransportResponse(response, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failed = toFailedResponse(error, bodies)
      if (failed) return toTransportResponse(failed, signal)
      const message = `The openai client got no answer from ${url}: ${messageOf(error)}`
      throw new CapstanError('network', message, { retryable: true, cause: error })
    }
  }
}

/** Azure's client of version 6 forgets both of these when it is copied. */
function azure(client: OpenAIClient): object {
  const { apiVersion, deploymentName } = client as { apiVersion?: string; deploymentName?: string }
  return apiVersion === undefined ? {} : { apiVersion, deployment: deploymentName }
}

/** The client keeps a parsed part of an error's body at most, and the server's words may be in the rest. */
function keepingErrorBodies(client: OpenAIClient, bodies: WeakMap<object, string>): typeof fetch {
  const own = (client as unknown as { fetch?: typeof fetch }).fetch ?? fetch
  return async (input, init) => {
    const response = await own(input, init)
    if (!response.ok) bodies.set(response.headers, await response.clone().text())
    return response
  }
}

function toFailedResponse(error: unknown, bodies: WeakMap<object, string>): Response | undefined {
  const { status, headers } = error as { status?: unknown; headers?: unknown }
  if (typeof status !== 'number' || !(headers instanceof Headers)) return undefined
  return new Response(bodies.get(headers) ?? messageOf(error), { status, headers })
}
