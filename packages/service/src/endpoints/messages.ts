import { toMessagesError as toErrorBody } from '@capstan/protocols/errors'
import { MessageWriter, toMessageUsage } from '@capstan/protocols/messages-reply'
import type { Endpoint, ServiceRequest } from '../http/endpoint.js'
import type { ToErrorBody } from '../http/write-reply.js'
import { countTokens } from './draft.js'
import { parseMessagesRequest, parsePrompt } from './messages-request.js'
import { checkModel, engineHeader, type ModelNames } from './models.js'
import { type ReplyDependencies, replyEndpoint, textOf } from './reply.js'

/** Replies to a Messages request, either completely or as a stream of events. */
export function messagesEndpoint(dependencies: ReplyDependencies): Endpoint {
  return replyEndpoint(dependencies, {
    parse: parseMessagesRequest,
    asked: askedOf,
    tooLong: (promptTokens, contextTokens) => [
      `prompt is too long: ${promptTokens} tokens > ${contextTokens} maximum`,
      'messages',
    ],
    writer: ({ seed, model, usage }) =>
      new MessageWriter({
        id: `msg_${seed.slice(0, 24)}`,
        model,
        startUsage: { ...toMessageUsage(usage), ...moreUsage, output_tokens: 1 },
        moreUsage,
        moreOfCall: { caller: { type: 'direct' } },
        withPing: true,
      }),
    prefixes: ['toolu_', 'toolu_'],
  })
}

const moreUsage = {
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: null,
  service_tier: 'standard',
}

/** Counts the tokens in a Messages request. The result is the same as in `usage`. */
export function countTokensEndpoint(models: ModelNames): Endpoint {
  return async ({ fields }) => {
    checkModel(fields.model, 'chat', models)
    parsePrompt(fields)
    return { headers: engineHeader('chat'), json: { input_tokens: countTokens(textOf(askedOf(fields))) } }
  }
}

function askedOf({ system, messages, tools }: ServiceRequest['fields']): readonly unknown[] {
  return [system ?? '', messages, tools ?? []]
}

/** Converts an error to the format of the Messages protocol. */
export const toMessagesError: ToErrorBody = (error) => {
  const { status, code, message } = error
  // Here, a 503 is a response that took too long, not an overload.
  return toErrorBody({ status: status === 503 ? 500 : status, code, message })
}
