import { readCompletion } from './fast-path.js'
import { MessageBuilder } from './message-builder.js'
import type { Protocol } from './protocol.js'
import { toRequestBody } from './request-body.js'

/** The servers of OpenAI and those that are asked like them. */
export const chatServer: Pick<Protocol, 'home' | 'variables' | 'toKeyHeaders'> = {
  home: 'https://api.openai.com/v1',
  variables: ['OPENAI_BASE_URL', 'OPENAI_API_KEY'],
  toKeyHeaders: toBearer,
}

/** `/chat/completions`, the interface of most servers. */
export const chatProtocol: Protocol = {
  ...chatServer,
  of: 'chatModel',
  path: '/chat/completions',
  toBody: toRequestBody,
  readBody: readCompletion,
  createBuilder: ({ isTool, sink }) => new MessageBuilder(isTool, sink),
}

/** Returns the header with an API key. An empty key is none. */
export function toBearer(apiKey: string): Readonly<Record<string, string>> {
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}
