import { isRecord } from '@capstan/core/internal'
import { MessageWriter } from '@capstan/protocols/messages-reply'
import type { RequestContext } from './context.js'
import { HttpError } from './http-error.js'
import { toChatFields } from './messages-input.js'
import { readModelRequest, replyAsModel } from './model-route.js'
import { toTypedEvent } from './sse.js'

/**
 * `POST v1/messages`: serves the agent as a model, like `v1/chat/completions`, but with the requests and events of the
 * Messages protocol.
 */
export async function messagesRoute(ctx: RequestContext): Promise<Response> {
  if (ctx.rest.length > 0)
    throw new HttpError(404, 'not_found', 'No such route. Token counting (count_tokens) is not supported.')
  const body = await readModelRequest(ctx)
  const options = {
    id: `msg_${crypto.randomUUID().replaceAll('-', '')}`,
    withReasoning: asksForThinking(body.thinking),
    startUsage: { input_tokens: 0, output_tokens: 0 },
  }
  return replyAsModel(toChatFields(body), body, ctx, {
    writer: (model) => new MessageWriter({ ...options, model }),
    toText: toTypedEvent,
  })
}

function asksForThinking(thinking: unknown): boolean {
  return isRecord(thinking) && thinking.type !== 'disabled' && thinking.display !== 'omitted'
}
