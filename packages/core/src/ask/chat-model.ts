import { environment } from '../words/environment.js'
import { CapstanError } from '../words/error.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from './model.js'
import { readReply } from './read-reply.js'
import { withoutSecrets } from './redact.js'
import { toRequestBody } from './request-body.js'
import { fetchTransport, type Transport } from './transport.js'

export interface ChatModelOptions {
  /** Address of the service, `/v1` included; it is added when the path is empty. Default: `OPENAI_BASE_URL`, else api.openai.com. */
  readonly baseURL?: string
  /** Default: `OPENAI_API_KEY`. `''` says that none is needed. A missing key is an error at the first request. */
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Used in place of the built-in one. */
  readonly fetch?: typeof fetch
}

/**
 * A model behind an OpenAI-style `/chat/completions`.
 * @throws CapstanError `invalid_request` at once when `baseURL` is no http address
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  const baseURL = toBaseURL(options.baseURL ?? environment('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1')
  const transport = fetchTransport(options.fetch)
  return {
    name,
    async complete(request, sink) {
      const apiKey = options.apiKey ?? environment('OPENAI_API_KEY')
      if (apiKey === undefined) throw missingKey()
      const headers = { ...toHeaders(apiKey, request), ...options.headers }
      const send = () =>
        askOver(transport, { url: `${baseURL}/chat/completions`, headers, name }, request, sink)
      return withoutSecrets([apiKey, ...Object.values(options.headers ?? {})], send)
    },
  }
}

/** Where a request goes. */
export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly name: string
}

/** Sends a request over a transport and reads the reply: the wire, whatever carries it. */
export async function askOver(
  transport: Transport,
  { url, headers, name }: Address,
  request: ModelRequest,
  sink?: ModelSink,
): Promise<ModelReply> {
  request.signal.throwIfAborted()
  const names = new Set(request.tools.map((tool) => tool.function.name))
  const body = toRequestBody(name, request)
  const response = await transport({ url, headers, body, signal: request.signal })
  return readReply(response, { isTool: (tool) => names.has(tool), sink, signal: request.signal })
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
