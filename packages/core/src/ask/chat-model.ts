import { Secrets } from '../secrets/secrets.js'
import { withSecretsOf } from '../secrets/secrets-of.js'
import { environment } from '../words/environment.js'
import { CapstanError } from '../words/error.js'
import type { ChatModel, ModelRequest } from '../words/model.js'
import { fetchTransport } from './fetch-transport.js'
import { modelOver, type Politeness } from './model-over.js'
import { type HttpAgent, nodeTransport } from './node-transport.js'
import { learnProxies } from './proxy-secrets.js'
import { checkHeaders, toHeaderText } from './sendable.js'
import { type Timeouts, toTimeouts } from './timeouts.js'
import { toBaseURL } from './to-base-url.js'
import type { Transport } from './transport.js'

export interface ChatModelOptions extends Politeness {
  /**
   * Address of the service, `/v1` included; it is added when the path is empty. Parameters (`?api-version=...`) are
   * sent along. A user name or password in it is refused, and redirects are not followed. Default: `OPENAI_BASE_URL`, else api.openai.com.
   */
  readonly baseURL?: string
  /** Default: `OPENAI_API_KEY`. `''` says that none is needed. A missing key is an error at the first request. */
  readonly apiKey?: string
  /** Further headers of every request; they count more than our own of the same name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Milliseconds for all of a request, or for its parts, `{ connect, firstByte, idle, total }`; beyond it the
   * request fails with `timeout`. Defaults: 10 s, 300 s, 120 s, 600 s. `Infinity` is no bound.
   */
  readonly timeoutMs?: number | Partial<Timeouts>
  /**
   * Any node:http (or, for https addresses, node:https) agent: a proxy's, or one with certificates. Default: one of
   * this model's own that keeps connections alive. Not used with `fetch`.
   */
  readonly agent?: HttpAgent
  /**
   * What the server understands beyond the common interface: `openai` holds answers to a form that it is asked for.
   * Default: `openai` for api.openai.com, else `plain`.
   */
  readonly dialect?: Dialect
  /** Used in place of the built-in transport. Default: node:http, where there is none the built-in `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * A model behind an OpenAI-style `/chat/completions`.
 * @throws CapstanError `invalid_request` at once when `baseURL` is no http address or holds a password, and for a
 * bound or a count that is none
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  const baseURL = options.baseURL ?? environment('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1'
  const { address, query } = toBaseURL(baseURL)
  const url = `${address}/chat/completions${query}`
  const own = lowerCased(options.headers ?? {})
  const secrets = new Secrets((known) => {
    known.learn(url, own)
    learnProxies(options.agent, known)
  })
  let known: KnownHeaders | undefined
  const wiring = {
    ...options,
    name,
    secrets,
    transport: toTransport(options),
    address(request: ModelRequest) {
      const apiKey = options.apiKey ?? environment('OPENAI_API_KEY')
      if (apiKey === undefined) throw missingKey()
      if (apiKey !== known?.apiKey) {
        secrets.add(apiKey)
        const headers = { ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }), ...own }
        checkHeaders(headers)
        known = { apiKey, headers }
      }
      return { url, headers: { ...request.headers, ...toHeaders(request), ...known.headers } }
    },
  }
  const structuredOutput = (options.dialect ?? dialectOf(address)) === 'openai'
  return withSecretsOf({ ...modelOver(wiring), structuredOutput }, [secrets])
}

/** Whose further rules a server keeps. */
export type Dialect = 'openai' | 'plain'

/** The one server of which it is known. */
export function dialectOf(address: string): Dialect {
  return URL.canParse(address) && new URL(address).hostname === 'api.openai.com' ? 'openai' : 'plain'
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

/** The headers that are the same in every request, by the key that may change. */
interface KnownHeaders {
  readonly apiKey: string
  readonly headers: Readonly<Record<string, string>>
}

function toHeaders(request: ModelRequest): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    'idempotency-key': toHeaderText(request.idempotencyKey),
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
