import { standardOfModels } from './features.js'
import { getEnv, tryURL } from './json.js'
import {
  type ChatModelOptions,
  createServerModel,
  elsewhere,
  kindsOf,
  names,
  optionKinds,
} from './model/chat-model.js'
import { continuePaused, createProtocol, home, isAnthropic } from './model/messages/protocol.js'
import { checkOptionNames } from './option-names.js'
import { secretsOf, withSecretsOf } from './secrets/secrets.js'
import type { ChatModel } from './types/model.js'

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
  const standard = standardOfModels.map((make) => make())
  checkOptionNames(
    options,
    { ...optionKinds, ...kindsOf(standard), ...ownKinds },
    { of: 'messagesModel', names, elsewhere, isOpen: true },
  )
  const { cache, dialect, ...given } = options
  const readBaseURL = () => withVersion(given.baseURL ?? getEnv('ANTHROPIC_BASE_URL') ?? home)
  const shared = {
    ...given,
    get baseURL() {
      return readBaseURL()
    },
  }
  const model = createServerModel(name, shared, createProtocol(cache), standard)
  const complete: ChatModel['complete'] = (request, sink) => continuePaused(model, request, sink)
  return withSecretsOf(
    {
      name,
      hostedTools: true,
      vision: model.vision,
      contextTokens: model.contextTokens,
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

function hostOf(address: string): string {
  return tryURL(address)?.host ?? ''
}

/** Adds `/v1` to an address without a version, as the client of the vendor does. */
function withVersion(address: string): string {
  const url = tryURL(address)
  if (!url) return address
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v\d+\w*$/.test(path)) return address
  url.pathname = `${path}/v1`
  return url.href
}
