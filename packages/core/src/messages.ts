import { getEnv } from './json.js'
import {
  type ChatModelOptions,
  createServerModel,
  elsewhere,
  names,
  optionKinds,
} from './model/chat-model.js'
import { continuePaused } from './model/messages-pause.js'
import { MessagesReplyBuilder } from './model/messages-reply.js'
import { toMessagesBody } from './model/messages-request.js'
import type { Protocol } from './model/protocol.js'
import type { ServerForm } from './model/request-body.js'
import { checkOptionNames } from './option-names.js'
import { secretsOf, withSecretsOf } from './secrets/secrets.js'
import type { ChatModel, ModelRequest } from './types/model.js'

export interface MessagesModelOptions extends Omit<ChatModelOptions, 'baseURL' | 'apiKey' | 'dialect'> {
  /**
   * Address of the service, with or without `/v1`, which is added. Otherwise as for `chatModel`. Default:
   * `ANTHROPIC_BASE_URL`, else api.anthropic.com.
   */
  readonly baseURL?: string
  /**
   * The API key, sent as `x-api-key`. Default: `ANTHROPIC_API_KEY`. `''` means that the server needs none. A missing
   * key is an error at the first request.
   */
  readonly apiKey?: string
  /**
   * Marks the instructions, the last tool and the last message for the cache of the server. A write to the cache of
   * api.anthropic.com costs 1.25 times the input, and a read 0.1 times: what is sent twice costs 1.35 instead of 2.
   * Default: for api.anthropic.com, when another request is likely to repeat this one. That is a request with tools, or
   * one that continues a conversation. Never for other servers.
   */
  readonly cache?: boolean
  /**
   * The server's features beyond the common interface: `anthropic` enforces a requested output schema
   * (`output_config.format`). Default: `anthropic` for api.anthropic.com, else `plain`.
   */
  readonly dialect?: 'anthropic' | 'plain'
}

/**
 * Creates a model behind Anthropic's Messages interface. Thinking, citations and the calls of hosted tools are kept and
 * sent back to the same server and model. The interface needs `max_tokens`: without the setting `maxTokens` it is
 * 16384, and the budget of the setting `thinking` on top.
 * @throws CapstanError as `chatModel` does
 */
export function messagesModel(name: string, options: MessagesModelOptions = {}): ChatModel {
  checkOptionNames(
    options,
    { ...optionKinds, ...ownKinds },
    { of: 'messagesModel', names, elsewhere, isOpen: true },
  )
  const { cache, dialect, ...given } = options
  const protocol = createProtocol(cache)
  const readBaseURL = () => withVersion(given.baseURL ?? getEnv('ANTHROPIC_BASE_URL') ?? protocol.home)
  const shared = {
    ...given,
    get baseURL() {
      return readBaseURL()
    },
  }
  const model = createServerModel(name, shared, protocol)
  const complete: ChatModel['complete'] = (request, sink) => continuePaused(model, request, sink)
  return withSecretsOf(
    {
      name,
      hostedTools: true,
      get structuredOutput() {
        return (dialect ?? (isAnthropic(hostOf(readBaseURL())) ? 'anthropic' : 'plain')) === 'anthropic'
      },
      complete,
    },
    secretsOf(model),
  )
}

const ownKinds = {
  cache: 'true or false',
  dialect: ["'anthropic' or 'plain'", (value: unknown) => value === 'anthropic' || value === 'plain'],
} as const

function createProtocol(cache: boolean | undefined): Protocol {
  return {
    of: 'messagesModel',
    path: '/messages',
    home: 'https://api.anthropic.com/v1',
    variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
    toKeyHeaders: (apiKey) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
    }),
    toBody: (model, request, form) =>
      toMessagesBody(model, request, { form, isCached: cache ?? isRepeated(request, form) }),
    createBuilder: (builderOptions) => new MessagesReplyBuilder(builderOptions),
  }
}

/** Whether another request is likely to repeat this one, to a server whose prices are known. */
function isRepeated(
  { messages, tools, toolChoice, settings }: ModelRequest,
  { saidBy = '' }: ServerForm,
): boolean {
  if (!isAnthropic(saidBy.split('/', 1)[0] ?? '') || settings?.cache_control !== undefined) return false
  const isLast = tools.length === 0 || toolChoice === 'none'
  return !isLast || messages.some(({ role }) => role === 'assistant')
}

function isAnthropic(host: string): boolean {
  return host === 'api.anthropic.com'
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : ''
}

/** Adds `/v1` to an address without a version, as the client of the vendor does. */
function withVersion(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v\d+\w*$/.test(path)) return address
  url.pathname = `${path}/v1`
  return url.href
}
