import { environment } from '../words/environment.js'
import { CapstanError } from '../words/error.js'
import { fetchTransport } from './fetch-transport.js'
import type { ChatModel, ModelRequest } from './model.js'
import { modelOver, type Politeness } from './model-over.js'
import { type HttpAgent, nodeTransport } from './node-transport.js'
import { Secrets } from './secrets.js'
import { checkHeaders, toHeaderText } from './sendable.js'
import { type Timeouts, toTimeouts } from './timeouts.js'
import { toBaseURL } from './to-base-url.js'
import type { Transport } from './transport.js'

export interface ChatModelOptions extends Politeness {
  /**
   * Address of the service, `/v1` included; it is added when the path is empty. A user name or password in it is
   * refused, and redirects are not followed. Default: `OPENAI_BASE_URL`, else api.openai.com.
   */
  readonly baseURL?: string
  /** Default: `OPENAI_API_KEY`. `''` says that none is needed. A missing key is an error at the first request. */
  readonly apiKey?: string
  /** Further headers of every request; they count more than our own of the same name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Milliseconds for all of a request, or for its parts, `{ connect, firstByte, idle, total }`; beyond it the
   * request fails with `timeout`. Defaults: 10 s, 300 s, 120 s, 600 s.
   */
  readonly timeoutMs?: number | Partial<Timeouts>
  /**
   * Any node:http (or, for https addresses, node:https) agent: a proxy's, or one with certificates. Default: one of
   * this model's own that keeps connections alive. Not used with `fetch`.
   */
  readonly agent?: HttpAgent
  /** Used in place of the built-in transport. Default: node:http, where there is none the built-in `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * A model behind an OpenAI-style `/chat/completions`.
 * @throws CapstanError `invalid_request` at once when `baseURL` is no http address or holds a password
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  const baseURL = toBaseURL(options.baseURL ?? environment('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1')
  const url = `${baseURL}/chat/completions`
  const own = lowerCased(options.headers ?? {})
  const secrets = new Secrets()
  return modelOver({
    ...options,
    name,
    secrets,
    transport: toTransport(options),
    address(request) {
      const apiKey = options.apiKey ?? environment('OPENAI_API_KEY')
      if (apiKey === undefined) throw missingKey()
      const headers = { ...toHeaders(apiKey, request), ...own }
      secrets.learn(url, headers)
      checkHeaders(headers)
      return { url, headers }
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
    'idempotency-key': toHeaderText(request.idempotencyKey),
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
  }
}

/** One name in two spellings would be sent twice. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function missingKey(): CapstanError {
  const message =
    'No API key. Set OPENAI_API_KEY, or pass apiKey; an empty apiKey says that the server needs none.'
  return new CapstanError('auth', message)
}
