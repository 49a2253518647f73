import type { Endpoint } from '../http/endpoint.js'
import { ChatWriter } from './chat-reply.js'
import { parseChatRequest } from './chat-request.js'
import { type ReplyDependencies, replyEndpoint } from './reply.js'

/** Replies to requests for chat completions, as one object or as a stream of chunks. */
export function chatEndpoint(dependencies: ReplyDependencies): Endpoint {
  return replyEndpoint(dependencies, {
    parse: parseChatRequest,
    asked: ({ messages, tools, functions }) => [messages, tools ?? functions ?? []],
    tooLong: (promptTokens, contextTokens) => [
      `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`,
      'messages',
    ],
    writer: (reply) => new ChatWriter(reply),
    prefixes: ['call_', 'call_'],
  })
}
