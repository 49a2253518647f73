import { ResponseWriter } from '@capstan/protocols/responses-reply'
import type { RequestContext } from '../context.js'
import { HttpError } from '../http-error.js'
import { readModelRequest, replyAsModel } from '../model-route.js'
import { toTypedEvent } from '../sse.js'
import { toChatFields } from './input.js'

/**
 * `POST v1/responses`: serves the agent as a model, like `v1/chat/completions`, but with the requests and events of the
 * Responses protocol. Responses are not stored.
 */
export async function responsesRoute(ctx: RequestContext): Promise<Response> {
  const { user, handler, rest } = ctx
  if (rest.length > 0)
    throw new HttpError(
      404,
      'not_found',
      'This server stores no responses. Keep what POST v1/responses returned.',
    )
  const body = await readModelRequest(ctx)
  const fields = toChatFields(body, (id) => handler.items.find(user.id, id))
  return replyAsModel(fields, body, ctx, {
    writer: (model) =>
      new ResponseWriter({
        id: newId('resp'),
        model,
        settings: toSettings(body),
        newId,
        onEnd: (items) => {
          if (body.store !== false) handler.items.add(user.id, items)
        },
      }),
    toText: toTypedEvent,
  })
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`
}

// The agent has its own settings, so settings that a request cannot change are null.
function toSettings({ instructions, metadata, tools, tool_choice, parallel_tool_calls, user }: Sent) {
  return {
    background: false,
    instructions: instructions ?? null,
    max_output_tokens: null,
    metadata: metadata ?? {},
    parallel_tool_calls: parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: tool_choice ?? 'auto',
    tools: tools ?? [],
    top_p: null,
    truncation: 'disabled',
    user: user ?? null,
  }
}

type Sent = Readonly<Record<string, unknown>>
