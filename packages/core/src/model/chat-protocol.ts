import { readCompletion } from './fast-path.js'
import { MessageBuilder } from './message-builder.js'
import type { Protocol } from './protocol.js'
import { toRequestBody } from './request-body.js'

/** `/chat/completions`, the interface of most servers. */
export const chatProtocol: Protocol = {
  of: 'chatModel',
  path: '/chat/completions',
  toBody: toRequestBody,
  readBody: readCompletion,
  createBuilder: ({ isTool, sink }) => new MessageBuilder(isTool, sink),
}
