import type { RunState } from '@capstan/core'
import { type ChatReply, taintOf } from '../chat/known-replies.js'
import { replyText } from '../chat/response.js'
import { toStart } from '../chat/start.js'
import type { RequestContext } from '../context.js'
import { HttpError, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { toEvent } from '../sse.js'
import { messagesOf, runToEnd, startRun } from '../start-run.js'
import { checkReferences } from '../stored-references.js'
import { streamRun } from '../stream-run.js'
import { toChatFields } from './input.js'
import { ResponseEvents } from './response.js'

/**
 * `POST v1/responses`: serves the agent as a model, like `v1/chat/completions`, with the requests and events of
 * the Responses protocol. Responses are not stored.
 */
export async function responsesRoute(ctx: RequestContext): Promise<Response> {
  const { request, user, handler, rest } = ctx
  if (rest.length > 0)
    throw new HttpError(
      404,
      'not_found',
      'This server stores no responses. Keep what POST v1/responses returned.',
    )
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  checkReferences(body)
  const fields = toChatFields(body, (id) => handler.items.find(user.id, id))
  const start = await toStart(fields, body, ctx)
  const keep = (reply: ChatReply, state: RunState) => handler.replies.add(user.id, reply, taintOf(state))
  const head = {
    id: `resp_${crypto.randomUUID().replaceAll('-', '')}`,
    created_at: Math.floor(Date.now() / 1000),
    model: start.agent.name,
    settings: toSettings(body),
  }
  const encoder = new ResponseEvents(head, {
    onReply: (reply, state, items) => {
      keep(reply, state)
      if (body.store !== false) handler.items.add(user.id, items)
    },
  })
  if (body.stream === true) {
    const run = await startRun(start, ctx)
    // A client that disconnected has the beginning of the reply.
    run
      .whenEnded()
      .then((state) => state && keep({ content: encoder.text }, state))
      .catch(() => {})
    return streamRun({ run, encoder }, ctx, { toText: (data) => toEvent({ event: data.type, data }) })
  }
  const messagesBefore = messagesOf(start).length
  const result = await runToEnd(start, ctx)
  return Response.json(encoder.whole(result, replyText(result.state, messagesBefore)))
}

// The agent has settings of its own: those of a request that have no effect are null.
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
