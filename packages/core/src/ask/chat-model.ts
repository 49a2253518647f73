import { environment } from '../words/environment.js'
import { CapstanError } from '../words/error.js'
import { fetchTransport } from './fetch-transport.js'
import type { ChatModel, ModelRequest } from './model.js'
import { modelOver, type Politeness } from './model-over.js'
import { type HttpAgent, nodeTransport } from './node-transport.js'
import { secretsOf } from './redact.js'
import { type Timeouts, toTimeouts } from './timeouts.js'
import type { Transport } from './transport.js'

export interface ChatModelOptions extends Politeness {
  /** Address of the service, `/v1` included; it is added when the path is empty. Default: `OPENAI_BASE_URL`, else api.openai.com. */
  readonly baseURL?: string
  /** Default: `OPENAI_API_KEY`. `''` says that none is needed. A missing key is an error at the first request. */
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** All of a request, or its parts: `{ connect, firstByte, idle, total }`. Defaults: 10 s, 300 s, 120 s, 600 s. */
  readonly timeoutMs?: number | Partial<Timeouts>
  /** Any node:http (or, for https addresses, node:https) agent: a proxy's, or one with certificates. */
  readonly agent?: HttpAgent
  /** Used in place of the built-in transport. */
  readonly fetch?: typeof fetch
}

/**
 * A model behind an OpenAI-style `/chat/completions`.
 * @throws CapstanError `invalid_request` at once when `baseURL` is no http address
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  const baseURL = toBaseURL(options.baseURL ?? environment('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1')
  return modelOver({
    ...options,
    name,
    transport: toTransport(options),
    address(request) {
      const apiKey = options.apiKey ?? environment('OPENAI_API_KEY')
      if (apiKey === undefined) throw missingKey()
      const headers = { ...toHeaders(apiKey, request), ...options.headers }
      return { url: `${baseURL}/chat/completions`, headers, secrets: [apiKey, ...secretsOf(headers)] }
    },
  })
}

function toTransport({ fetch: send, agent, timeoutMs }: ChatModelOptions): Transport {
  const timeouts = toTimeouts(timeoutMs)
  if (send) return fetchTransport(timeouts, send)
  const transport = nodeTransport(timeouts, agent)
  if (agent && !transport) {
    throw new CapstanError('unsupported', 'There is no node:http here for an agent. Give a fetch instead.')
  }
  return transport ?? fetchTransport(timeouts)
}

function toHeaders(apiKey: string, request: ModelRequest): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    'idempotency-key': request.idempotencyKey,
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
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

function missingKey(): CapstanError {
  const message =
    'No API key. Set OPENAI_API_KEY, or pass apiKey; an empty apiKey says that the server needs none.'
  return new CapstanError('auth', message)
}
