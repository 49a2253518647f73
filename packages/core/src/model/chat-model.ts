import { Semaphore, sleep } from '../async.js'
import { CapstanError } from '../errors.js'
import { MessageBuilder } from '../features/reply-forms/message-builder.js'
import { LearnedForm } from '../features/request-forms.js'
import { type TextCallOptions, textCallKind, withTextCalls } from '../features/text-calls/recover-calls.js'
import { getEnv, tryURL } from '../json.js'
import { checkModelOptions, isCount, kindOf, type OptionKind } from '../option-names.js'
import { collectProxySecrets, Secrets, withSecretsOf } from '../secrets/secrets.js'
import type { ToolDefinition } from '../types/message.js'
import type { ChatModel, ModelRequest, ModelSink } from '../types/model.js'
import { fetchTransport } from './fetch-transport.js'
import { type HttpAgent, nodeTransport } from './node-transport.js'
import type { Protocol } from './protocol.js'
import { readCompletion } from './read-completion.js'
import { type ReadOptions, readReply } from './read-response.js'
import { withoutSecrets } from './redact-errors.js'
import { type ServerForm, toRequestBody } from './request-body.js'
import { withRetries } from './retry.js'
import { defaultMaxBytes, type Timeouts, type Transport, toTimeouts } from './transport.js'

export interface ChatModelOptions extends VisionOptions, RequestLimits, TextCallOptions {
  /**
   * Address of the service with `/v1`, which is added if the path is empty. Parameters (`?api-version=...`) are sent
   * along. A user name or password in it is rejected, and redirects are not followed. Default: `OPENAI_BASE_URL`, else
   * api.openai.com.
   */
  readonly baseURL?: string
  /**
   * The API key. Default: `OPENAI_API_KEY`. `''` means that the server needs none. A missing key is an error at the
   * first request.
   */
  readonly apiKey?: string
  /** Additional headers of every request. They override our own of the same name, such as `user-agent`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Time limits in milliseconds: a number for the whole request, or `{ connect, firstByte, idle, total }`. A request
   * that exceeds one fails with `timeout`. Defaults: 10 s, 300 s, 120 s, 600 s. `Infinity` removes a limit.
   */
  readonly timeoutMs?: number | Partial<Timeouts>
  /**
   * A node:http agent (node:https for https addresses), such as a proxy's or one with certificates. Default: a
   * keep-alive agent of this model. Not used with `fetch`.
   */
  readonly agent?: HttpAgent
  /**
   * The server's features beyond the common interface: `openai` enforces a requested output schema. Default: `openai`
   * for api.openai.com, else `plain`.
   */
  readonly dialect?: Dialect
  /** Replaces the built-in transport. Default: node:http, or the built-in `fetch` where node:http does not exist. */
  readonly fetch?: typeof fetch
}

/**
 * Creates a model behind an OpenAI-style `/chat/completions`.
 * @throws CapstanError `invalid_request` at once when `baseURL` is not an http address or contains a password, and for
 * a missing name, a misspelt option, or an invalid limit or count
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  return createServerModel(name, options, chatProtocol)
}

/** `/chat/completions`, the interface of most servers. */
export const chatProtocol: Protocol = {
  of: 'chatModel',
  path: '/chat/completions',
  toBody: toRequestBody,
  readBody: readCompletion,
  createBuilder: ({ isTool, sink }) => new MessageBuilder(isTool, sink),
}

/** Creates a model behind an address, in the protocol of its server. Throws as `chatModel` does. */
export function createServerModel(name: string, options: ChatModelOptions, protocol: Protocol): ChatModel {
  const { of, path, home = openai, variables = variablesOfOpenAI, toKeyHeaders = toBearer } = protocol
  const [baseURLName, keyName] = variables
  checkName(name, of)
  checkModelOptions(options, optionKinds, { of, names, elsewhere, isOpen: true })
  // One name in two spellings would be sent twice.
  const customHeaders = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([header, value]) => [header.toLowerCase(), value]),
  )
  let baseURL: string | undefined
  let url = ''
  const secrets = new Secrets((known) => {
    known.learn(url, customHeaders)
    collectProxySecrets(options.agent, known)
  })
  // Read together with the key: a key that is set later is for the address that is set with it.
  const currentURL = () => {
    const given = options.baseURL ?? getEnv(baseURLName) ?? home
    if (given !== baseURL) {
      // Errors of earlier requests may still quote it.
      secrets.learnAddress(url)
      const { address, query } = toBaseURL(given)
      url = address + path + query
      baseURL = given
    }
    return url
  }
  currentURL()
  let known: CachedHeaders | undefined
  const config = {
    ...options,
    name,
    protocol,
    secrets,
    transport: toTransport(options),
    address(request: ModelRequest) {
      const apiKey = options.apiKey ?? getEnv(keyName)
      if (apiKey === undefined) {
        const message = `No API key. Set ${keyName} or apiKey. Use an empty apiKey if the server needs none.`
        throw new CapstanError('auth', message)
      }
      if (apiKey !== known?.apiKey) {
        secrets.add(apiKey)
        const headers = { ...toKeyHeaders(apiKey), ...customHeaders }
        checkHeaders(headers)
        known = toCachedHeaders(apiKey, headers)
      }
      return { url: currentURL(), headers: headersOf(request, known) }
    },
  }
  const model = {
    ...createChatModel(config),
    get structuredOutput() {
      return (options.dialect ?? dialectOf(currentURL())) === 'openai'
    },
  }
  return withSecretsOf(model, [secrets])
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
  textCalls: textCallKind,
  vision: 'true or false',
} as const

export const optionKinds: Readonly<Record<keyof ChatModelOptions, OptionKind>> = {
  baseURL: 'a string',
  apiKey: 'a string',
  headers: 'an object',
  agent: true,
  dialect: true,
  fetch: 'a function',
  ...sharedOptionKinds,
}

export const names = { apiKey: 'key', baseURL: 'url endpoint', maxRetries: 'retries' }

/** Fields of requests, which are confused with options of the model. */
export const elsewhere = ['new Agent(...)', { settings: 'an object' }] as const

/** The vendor whose extensions a server supports. */
export type Dialect = 'openai' | 'plain'

/** Returns `openai` for api.openai.com, the only server known to support it. */
export function dialectOf(address: string): Dialect {
  return tryURL(address)?.hostname === 'api.openai.com' ? 'openai' : 'plain'
}

function toTransport({ fetch: send, agent, timeoutMs }: ChatModelOptions): Transport {
  const timeouts = toTimeouts(timeoutMs)
  if (send) return fetchTransport(timeouts, send)
  const transport = nodeTransport(timeouts, agent)
  if (agent && !transport) {
    throw new CapstanError(
      'unsupported',
      'agent needs node:http, which does not exist here. Use fetch instead.',
    )
  }
  return transport ?? fetchTransport(timeouts)
}

/** The headers shared by all requests, cached by API key because the key may change. */
interface CachedHeaders {
  readonly apiKey: string
  /** The key and the headers of the application; with those of every request; and with the name of the sender. */
  readonly own: Readonly<Record<string, string>>
  readonly fixed: Readonly<Record<string, string>>
  readonly all: Readonly<Record<string, string>>
}

/** Returns the headers of a request. Those of the application win over ours, and ours over those of the request. */
function headersOf({ headers, stream, idempotencyKey }: ModelRequest, { own, fixed, all }: CachedHeaders) {
  // A copy of ready headers, with changed fields: putting them together would take Node 20 three times as long.
  const sent: Record<string, string> = headers ? { ...senderHeader(), ...headers, ...fixed } : { ...all }
  if (stream && !('accept' in own)) sent.accept = 'text/event-stream'
  if (!('idempotency-key' in own)) sent['idempotency-key'] = toHeaderText(idempotencyKey)
  return sent
}

function toCachedHeaders(apiKey: string, own: CachedHeaders['own']): CachedHeaders {
  const json = 'application/json'
  const fixed = { 'content-type': json, accept: json, 'idempotency-key': '', ...own }
  return { apiKey, own, fixed, all: { ...senderHeader(), ...fixed } }
}

/** The version of this package, as its package.json has it. */
export const version = '0.1.0'

/** Names this package as the sender. Browsers send their own name, and ask servers whether they allow another. */
export function senderHeader(): Readonly<Record<string, string>> {
  const isBrowser = 'document' in globalThis || 'importScripts' in globalThis
  return isBrowser ? {} : { 'user-agent': `capstan/${version}` }
}

export interface RequestLimits {
  /** Retries after a failure that may be temporary, `0` for none. Default 2. */
  readonly maxRetries?: number
  /** Concurrent requests of this model object. Further requests wait in order of arrival. Default 64. */
  readonly maxInFlight?: number
  /**
   * Maximum bytes of one response, counted after decompression. A longer response fails with `invalid_response` and
   * closes the connection. The body of a failed request is read up to this limit. Default 64 MiB. `Infinity` removes
   * the limit.
   */
  readonly maxBytes?: number
}

/** The target of a request. */
interface RequestTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the model sees. */
export interface VisionOptions {
  /**
   * Whether the model sees: its requests show pictures that the user attached, of up to 20 MiB, in PNG, JPEG, GIF and WebP.
   * Default false: it reads references.
   */
  readonly vision?: boolean
}

export interface ModelConfig extends VisionOptions, RequestLimits, TextCallOptions {
  readonly name: string
  readonly protocol: Protocol
  readonly transport: Transport
  /** Values that must not be shown. Filled by the code that knows what is sent. */
  readonly secrets: Secrets
  address(request: ModelRequest): RequestTarget
}

/** Creates a model over any transport: sends requests, reads replies, redacts errors and retries. */
export function createChatModel(config: ModelConfig): ChatModel {
  const {
    name,
    protocol,
    transport,
    secrets,
    address,
    maxRetries = 2,
    maxInFlight = 64,
    maxBytes = defaultMaxBytes,
    textCalls = 'report',
    vision,
  } = config
  const semaphore = new Semaphore(maxInFlight)
  const learned = new LearnedForm(protocol.adaptations)
  const markOf = createMarks(secrets, name)
  const send = (request: ModelRequest, sink?: ModelSink) => {
    const target = address(request)
    const server = markOf(target.url)
    const sendOnce = (asked: ModelRequest, form: ServerForm) => {
      const { url, headers } = asked === request ? target : address(asked)
      const { tools, stream, signal, tap } = asked
      const outgoing = { url, headers, body: protocol.toBody(name, asked, form), signal }
      const reading = { protocol, isTool: isNameOf(tools), sink, signal, maxBytes, secrets, server }
      if (!tap) return readReply(transport(outgoing), reading)
      const send = (over: Transport, noting: ReadOptions['noting']) =>
        readReply(over(outgoing), { ...reading, noting })
      return tap.exchange({ ...reading, request: outgoing, stream, transport, send })
    }
    return learned.send(request, server, sendOnce)
  }
  const sendReading = withTextCalls(send, textCalls)
  const retries = { max: maxRetries, wait: sleep }
  return {
    name,
    vision,
    complete(request, sink) {
      const { signal } = request
      if (signal.aborted) return Promise.reject(signal.reason)
      // Only a streamed request has deltas: those of its repetitions too, which may not be streamed.
      const reading = request.stream ? sink : undefined
      const attempt = (asked: ModelRequest) => {
        const queued = () => semaphore.run(signal, () => sendReading(asked, reading))
        return withoutSecrets(secrets, queued, signal)
      }
      return request.retries === false ? attempt(request) : withRetries(attempt, request, retries, sink)
    },
  }
}

/**
 * Returns a function that names the server at an address, and the model: host and path without what may be secret. An
 * address rarely changes.
 */
function createMarks(secrets: Secrets, model: string): (url: string) => string {
  let known: { readonly url: string; readonly name: string } | undefined
  return (url) => {
    if (known?.url !== url) {
      const { host, pathname } = tryURL(url) ?? { host: '', pathname: '' }
      const path = pathname.replace(/(\/chat\/completions)?\/*$/, '')
      known = { url, name: secrets.hide(`${host}${path} ${model}`) }
    }
    return known.name
  }
}

export function checkName(name: unknown, of: string): void {
  if (typeof name === 'string' && name !== '') return
  const found = name === '' ? 'empty' : kindOf(name)
  throw new CapstanError(
    'invalid_request',
    `The name of the model is ${found}. Use one: ${of}("gpt-5-mini").`,
  )
}

/** Rejects a value that is not a model. @throws CapstanError `invalid_request` with the way to make one */
export function checkModel(model: unknown, of = '`model`'): asserts model is ChatModel {
  const { complete, doGenerate, specificationVersion, chat } = Object(model)
  if (typeof complete === 'function') return
  let [found, use] = [kindOf(model), 'chatModel(name) or openaiModel(client, name)']
  if (chat) [found, use] = ['an OpenAI client', 'openaiModel(client, name) of @capstan/core/openai']
  if (doGenerate || specificationVersion)
    [found, use] = ['an AI SDK model', 'aiSdkModel(model) of @capstan/core/ai-sdk']
  throw new CapstanError('invalid_request', `${of} is not a ChatModel: it is ${found}. Use ${use}.`)
}

function isNameOf(tools: readonly ToolDefinition[]): (name: string) => boolean {
  let names: ReadonlySet<string> | undefined
  return (name) => {
    names ??= new Set(tools.map((tool) => tool.function.name))
    return names.has(name)
  }
}

/** Makes a text safe for a header: characters beyond ASCII are percent-encoded. */
export function toHeaderText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
}

/**
 * Rejects headers that cannot be sent. The error never contains a value, nor a name that may be one.
 * @throws CapstanError `invalid_request`
 */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw invalidHeader('A header name')
    if (typeof value !== 'string') {
      const message = `Header ${name} has no value. Remove it, or set a text.`
      throw new CapstanError('invalid_request', message, { evidence: { header: name } })
    }
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    const isKey = name === 'authorization'
    throw invalidHeader(isKey ? 'The API key or the header authorization' : `Header ${name}`, name)
  }
}

function invalidHeader(what: string, header?: string): CapstanError {
  const message = `${what} contains a line break or another invalid character. If it was read from a file, trim it.`
  return new CapstanError('invalid_request', message, {
    evidence: header === undefined ? undefined : { header },
  })
}

export interface BaseURL {
  /** The address without a trailing slash and without parameters. */
  readonly address: string
  /** The parameters of every request, starting with `?`. `''` for none. */
  readonly query: string
}

/**
 * Parses the address of a service. `/v1` is added if the path is empty.
 * @throws CapstanError `invalid_request` when it is not an http address, or contains a user name or password
 */
export function toBaseURL(text: string): BaseURL {
  const url = tryURL(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The value may be a key that was pasted into the wrong field.
    const message = `baseURL "${text.slice(0, 4)}..." is not an http address. Use one like https://api.example.com/v1.`
    throw new CapstanError('invalid_request', message)
  }
  rejectCredentials(text)
  const path = url.pathname.replace(/\/+$/, '')
  return { address: url.origin + (path === '' ? '/v1' : path), query: url.search }
}

/**
 * Rejects an address with a user name or password: `fetch` does not accept them and quotes them in its error.
 * @throws CapstanError `invalid_request`
 */
export function rejectCredentials(address: string): void {
  const { username, password, host } = tryURL(address) ?? {}
  if (!username && !password) return
  const message = `baseURL contains a user name or password for ${host}. Send them as the header authorization: "Basic ..." with the base64 of "user:password".`
  throw new CapstanError('invalid_request', message, { evidence: { host } })
}
