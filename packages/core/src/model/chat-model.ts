// biome-ignore assist/source/organizeImports: in this order a bundle of a model alone is smaller.
import { Semaphore } from '../async.js'
import { type ServerForm, toRequestBody } from './request-body.js'
import { getEnv, getOwn, isRecord, isString, listOf, tryURL } from '../json.js'
import { CapstanError, invalidRequest } from '../errors.js'
import { defaultMaxBytes, nodeTransport, type Timeouts, toTimeouts } from './transport.js'
import type {
  ModelFacts,
  ModelFeature,
  Protocol,
  RecoverOptions,
  SendRequest,
  WindowOptions,
} from './protocol.js'
import { collectProxySecrets, Secrets, withSecretsOf } from '../secrets/secrets.js'
import type { ChatModel, ModelRequest, Transport } from '../types/model.js'
import { checkName, withRetries } from './retry.js'
import { type ReadOptions, readCompletion, readReply } from './read-response.js'
import { fetchTransport } from './fetch-transport.js'
import { checkModelOptions, isCount, kindOf, type OptionKind, type OptionKinds } from '../option-names.js'

export interface ChatModelOptions extends VisionOptions, RequestLimits, RecoverOptions, WindowOptions {
  /**
   * The URL of the service, including `/v1`, which is added if the path is empty. Query parameters (`?api-version=...`)
   * are sent along. A URL with a user name or password is rejected. Redirects are not followed. Default:
   * `OPENAI_BASE_URL`, or api.openai.com if that is not set.
   */
  readonly baseURL?: string
  /**
   * The API key. `''` means that the server needs none. Default: `OPENAI_API_KEY`. If neither is set, the first request
   * fails.
   */
  readonly apiKey?: string
  /**
   * Additional headers for every request. These headers override Capstan's headers of the same name, such as
   * `user-agent`. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Time limits in milliseconds: a number for the entire request, or `{ connect, firstByte, idle, total }`. A request
   * that exceeds a limit fails with `timeout`. Defaults: 10 s, 300 s, 120 s, 600 s. `Infinity` removes a limit.
   */
  readonly timeoutMs?: number | Partial<Timeouts>
  /**
   * A node:http agent (node:https for https URLs), such as one for a proxy or with certificates. Default: a keep-alive
   * agent of this model. Not used with `fetch`.
   */
  readonly agent?: { destroy(): void }
  /**
   * The vendor whose extensions of the common interface the server supports: an `openai` server enforces a requested
   * output schema. Default: `openai` for api.openai.com, `plain` for other servers.
   */
  readonly dialect?: Dialect
  /** Additional features of the model. Default: none. */
  readonly features?: readonly ModelFeature[]
  /** Replaces the built-in transport. Default: node:http, or the built-in `fetch` if node:http does not exist. */
  readonly fetch?: typeof fetch
}

/** The feature that each of these options needs. */
const featureOf = { textCalls: 'recoverCalls', contextTokens: 'contextRefusals' }

/**
 * Creates a model with only the listed features. Without `replyForms`, the model requests no streams and reads only the
 * documented form of replies. Without `requestForms`, a rejected request is not sent again in a different form. Without
 * `recoverCalls`, calls that are written as text remain text.
 * @throws CapstanError `invalid_request` as `chatModel` does, and for an option whose feature is missing
 */
export function leanChatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  const features = listOf(Object(options).features)
  for (const one of features) {
    if (isRecord(one) && isString(one.name)) continue
    const message = `chatModel: features contains ${kindOf(one)}. Use functions such as replyForms().`
    throw invalidRequest(message)
  }
  const kinds = kindsOf(features as readonly ModelFeature[])
  for (const [option, feature] of Object.entries(featureOf)) {
    if (getOwn(options, option) === undefined || option in kinds) continue
    const message = `chatModel: ${option} needs ${feature}() from @capstan/core/lean in features.`
    throw invalidRequest(message, { option })
  }
  const hasReader = (features as readonly ModelFeature[]).some(({ createReader }) => createReader)
  return createServerModel(name, options, chatProtocol, hasReader ? [] : [withoutReplyForms])
}

/** Requests no streams. Rejects a stream, and a body that is not in the documented form. */
const withoutReplyForms: ModelFeature = {
  name: 'without-reply-forms',
  createReader(_protocol, _options, text) {
    const what = text.startsWith('{') ? 'an unusual body' : 'a stream'
    const message = `The model server sent ${what}. No tool ran. Add replyForms() from @capstan/core/lean to chatModel's features.`
    throw new CapstanError('invalid_response', message, { evidence: { excerpt: text.slice(0, 200) } })
  },
  // The full text is emitted as a single delta.
  wrapSend: (send) => (request, sink, form) => send({ ...request, stream: false }, sink, form),
}

/** `/chat/completions`, the interface that most servers implement. */
export const chatProtocol: Protocol = {
  of: 'chatModel',
  path: '/chat/completions',
  toBody: toRequestBody,
  readBody: readCompletion,
}

/**
 * Creates a model for a server with this protocol. The features in the options wrap the `standard` features around each
 * request. Throws as `chatModel` does.
 */
export function createServerModel(
  name: string,
  options: ChatModelOptions,
  protocol: Protocol,
  standard: readonly ModelFeature[] = [],
): ChatModel {
  const { of, path, home = openai, variables: [baseURLName] = variablesOfOpenAI } = protocol
  checkName(name, of)
  const features = [...(listOf(Object(options).features) as readonly ModelFeature[]), ...standard]
  checkModelOptions(options, { ...optionKinds, ...kindsOf(features) }, { of, names, elsewhere, isOpen: true })
  let baseURL: string | undefined
  let url = ''
  const secrets = new Secrets((known) => {
    known.learn(url, options.headers ?? {})
    collectProxySecrets(options.agent, known)
  })
  // The URL is read whenever the key is read, because a key that is set later belongs to the URL that is set with it.
  const currentURL = () => {
    const given = options.baseURL ?? getEnv(baseURLName) ?? home
    if (given !== baseURL) {
      // Errors of earlier requests may still quote this URL.
      secrets.learnAddress(url)
      const { address, query } = toBaseURL(given)
      url = address + path + query
      baseURL = given
    }
    return url
  }
  currentURL()
  const config = {
    options,
    name,
    protocol,
    secrets,
    features,
    transport: toTransport(options),
    url: currentURL,
    headers: createHeaders(options, protocol, secrets),
  }
  const model = {
    ...createChatModel(config),
    get structuredOutput() {
      return (options.dialect ?? dialectOf(currentURL())) === 'openai'
    },
  }
  return withSecretsOf(model, [secrets])
}

/**
 * Returns a function that returns the headers of a request. The application's headers override Capstan's headers, which
 * override the request's headers.
 */
function createHeaders(
  options: ChatModelOptions,
  { variables: [, keyName] = variablesOfOpenAI, toKeyHeaders = toBearer }: Protocol,
  secrets: Secrets,
): ModelConfig['headers'] {
  // A name in two spellings would be sent twice.
  const given = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  let known: CachedHeaders | undefined
  return ({ headers, stream, idempotencyKey }) => {
    const apiKey = options.apiKey ?? getEnv(keyName)
    if (apiKey === undefined) {
      const message = `No API key. Set ${keyName} or apiKey ("" if the server needs none).`
      throw new CapstanError('auth', message)
    }
    if (apiKey !== known?.apiKey) {
      secrets.add(apiKey)
      const own = { ...toKeyHeaders(apiKey), ...Object.fromEntries(given) }
      checkHeaders(own)
      const json = 'application/json'
      const fixed = { 'content-type': json, accept: json, 'idempotency-key': '', ...own }
      known = { apiKey, own, fixed, all: { ...senderHeader(), ...fixed } }
    }
    const { own, fixed, all } = known
    // Copies prepared headers and changes some, because assembling them would take Node 20 three times as long.
    const sent: Record<string, string> = headers ? { ...all, ...headers, ...fixed } : { ...all }
    if (stream && !('accept' in own)) sent.accept = 'text/event-stream'
    if (!('idempotency-key' in own)) sent['idempotency-key'] = toHeaderText(idempotencyKey)
    return sent
  }
}

const openai = 'https://api.openai.com/v1'
const variablesOfOpenAI = ['OPENAI_BASE_URL', 'OPENAI_API_KEY'] as const

function toBearer(apiKey: string): Readonly<Record<string, string>> {
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}

const count = ['a whole number of at least 1, or Infinity', isCount] as const

/** The options that `chatModel` and `openaiModel` share. */
export const sharedOptionKinds = {
  maxRetries: ['a whole number of at least 0, or Infinity', (value: unknown) => isCount(value, 0)],
  maxInFlight: count,
  maxBytes: count,
  timeoutMs: true,
  vision: 'true or false',
} as const

export const optionKinds: Readonly<
  Record<Exclude<keyof ChatModelOptions, keyof (RecoverOptions & WindowOptions)>, OptionKind>
> = {
  baseURL: 'a string',
  apiKey: 'a string',
  headers: 'an object',
  agent: true,
  dialect: true,
  fetch: 'a function',
  features: 'an array: [one, two]',
  ...sharedOptionKinds,
}

/** Returns the kinds of the options that features read. */
export function kindsOf(features: readonly ModelFeature[]): OptionKinds {
  return Object.assign({}, ...features.map(({ options }) => options))
}

export const names = { apiKey: 'key', baseURL: 'url endpoint', maxRetries: 'retries' }

/** The agent option for request fields that users pass to a model by mistake. Errors suggest this option. */
export const elsewhere = ['new Agent(...)', { settings: 'an object' }] as const

/** The vendor whose extensions of the interface a server supports. `plain`: none. */
export type Dialect = 'openai' | 'plain'

/** Returns `openai` for api.openai.com, the only server known to support its extensions, otherwise `plain`. */
export function dialectOf(address: string): Dialect {
  return tryURL(address)?.hostname === 'api.openai.com' ? 'openai' : 'plain'
}

function toTransport({ fetch: send, agent, timeoutMs }: ChatModelOptions): Transport {
  const timeouts = toTimeouts(timeoutMs)
  const transport = send ? fetchTransport(timeouts, send) : nodeTransport(timeouts, agent)
  if (transport) return transport
  if (agent) throw new CapstanError('unsupported', 'agent needs node:http. Use fetch here.')
  return fetchTransport(timeouts)
}

/** The headers shared by all requests with one API key. They are created again when the key changes. */
interface CachedHeaders {
  readonly apiKey: string
  /** The headers for the API key, and the application's headers. */
  readonly own: Readonly<Record<string, string>>
  /** `own`, and the headers that are the same in every request. */
  readonly fixed: Readonly<Record<string, string>>
  /** `fixed`, and the sender's name. */
  readonly all: Readonly<Record<string, string>>
}

/** This package's version, as in its package.json. */
export const version = '0.1.0'

/**
 * Returns the header that names this package as the sender. Returns `{}` in browsers, which send their own name and
 * would ask servers to allow a different one.
 */
export function senderHeader(): Readonly<Record<string, string>> {
  const isBrowser = 'document' in globalThis || 'importScripts' in globalThis
  return isBrowser ? {} : { 'user-agent': `capstan/${version}` }
}

export interface RequestLimits {
  /** Maximum number of retries after failures that may be temporary. `0` disables retries. Default 2. */
  readonly maxRetries?: number
  /**
   * Maximum number of concurrent requests of this model object. Other requests are queued in order of arrival. Default
   * 64.
   */
  readonly maxInFlight?: number
  /**
   * Maximum number of bytes in one response, counted after decompression. A longer response fails with
   * `invalid_response` and closes the connection. The body of a failed request is read up to this limit. Default 64
   * MiB. `Infinity` removes the limit.
   */
  readonly maxBytes?: number
}

/** Options for sending images to a model. */
export interface VisionOptions {
  /**
   * Whether the model accepts images. If so, requests contain the user's images: PNG, JPEG, GIF or WebP, up to 20 MiB.
   * Default false: the model gets references.
   */
  readonly vision?: boolean
}

export interface ModelConfig {
  readonly name: string
  readonly options: VisionOptions & RequestLimits & RecoverOptions & WindowOptions
  readonly protocol: Protocol
  readonly transport: Transport
  /** Secrets that have been sent in requests, and must not be shown. */
  readonly secrets: Secrets
  readonly features: readonly ModelFeature[]
  readonly url: () => string
  headers(request: ModelRequest): Readonly<Record<string, string>>
}

/** Creates a model over any transport: sends requests, reads replies, redacts errors and retries. */
export function createChatModel(config: ModelConfig): ChatModel {
  const { name, options, protocol, transport, secrets, features } = config
  const { maxRetries = 2, maxInFlight = 64, maxBytes = defaultMaxBytes } = options
  const forms = features.find(({ createReader }) => createReader)
  const usualForm = createForms(config)
  const sendOnce: SendRequest = (request, sink, form = usualForm()) => {
    const { tools, stream, signal, tap } = request
    const body = protocol.toBody(name, request, form)
    const outgoing = { url: config.url(), headers: config.headers(request), body, signal }
    const { server } = form
    const isTool = (name: string) => tools.some((tool) => tool.function.name === name)
    const reading = { protocol, forms, isTool, sink, signal, maxBytes, secrets, server }
    const send = (over: Transport, noting?: ReadOptions['noting']) =>
      readReply(over(outgoing), { ...reading, noting })
    return tap?.exchange({ ...reading, request: outgoing, stream, transport, send }) ?? send(transport)
  }
  const { adaptations } = protocol
  const facts = { name, options: options as ModelFacts['options'], adaptations, usualForm }
  const send = wrapSend(features, sendOnce, facts)
  const sending = { send, maxRetries, semaphore: new Semaphore(maxInFlight), secrets }
  const { vision, contextTokens } = options
  return { name, vision, contextTokens, complete: (request, sink) => withRetries(request, sink, sending) }
}

/** Returns `send` with the wrappers that features add. */
export function wrapSend(
  features: readonly ModelFeature[],
  send: SendRequest,
  model: ModelFacts,
): SendRequest {
  return features.reduceRight((inner, feature) => feature.wrapSend?.(inner, model) ?? inner, send)
}

/**
 * Returns a function that returns the usual form of requests. The form names the server (host and path, without
 * possible secrets) and the model. The form is cached, because the URL rarely changes.
 */
function createForms({ name, secrets, url: readURL }: ModelConfig): () => ServerForm {
  let known: string | undefined
  let form: ServerForm = {}
  return () => {
    const url = readURL()
    if (known !== url) {
      const { host = '', pathname = '' } = tryURL(url) ?? {}
      const path = pathname.replace(/(\/chat\/completions)?\/*$/, '')
      known = url
      form = { server: secrets.hide(`${host}${path} ${name}`) }
    }
    return form
  }
}

/** Makes a string safe for a header: percent-encodes all characters except printable ASCII. */
export function toHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}

/**
 * Rejects headers that cannot be sent. The error contains no value, and no name that may really be a value.
 * @throws CapstanError `invalid_request`
 */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw invalidHeader('A header name')
    if (!isString(value)) {
      const message = `Header ${name} has no value. Remove it, or set a string.`
      throw invalidRequest(message, { header: name })
    }
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    const isKey = name === 'authorization'
    throw invalidHeader(isKey ? 'The API key' : `Header ${name}`, name)
  }
}

function invalidHeader(what: string, header?: string): CapstanError {
  const message = `${what} contains an invalid character. Trim it.`
  return new CapstanError('invalid_request', message, { evidence: header ? { header } : undefined })
}

export interface BaseURL {
  /** The URL without a trailing slash and without a query. */
  readonly address: string
  /** The query of every request, starting with `?`; `''` if there is none. */
  readonly query: string
}

/**
 * Parses the base URL of a service. `/v1` is added if the path is empty.
 * @throws CapstanError `invalid_request` if it is not an http(s) URL, or contains a user name or password
 */
export function toBaseURL(text: string): BaseURL {
  const url = tryURL(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The value may be a key that was pasted into the wrong field.
    const message = `baseURL "${text.slice(0, 4)}..." is not an http(s) URL. Use one like ${openai}.`
    throw invalidRequest(message)
  }
  rejectCredentials(text)
  const path = url.pathname.replace(/\/+$/, '')
  return { address: url.origin + (path || '/v1'), query: url.search }
}

/**
 * Rejects a URL with a user name or password, because `fetch` rejects such a URL and quotes it in the error.
 * @throws CapstanError `invalid_request`
 */
export function rejectCredentials(address: string): void {
  const { username, password, host } = tryURL(address) ?? {}
  if (!username && !password) return
  const message = `baseURL contains a login for ${host}. Send it as the header authorization: "Basic ...".`
  throw invalidRequest(message, { host })
}
