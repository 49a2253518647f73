import type { RunState } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
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
import { MessageEvents } from './response.js'

/**
 * `POST v1/messages`: serves the agent as a model, like `v1/chat/completions`, with the requests and events of
 * the Messages protocol.
 */
export async function messagesRoute(ctx: RequestContext): Promise<Response> {
  const { request, user, handler, rest } = ctx
  if (rest.length > 0)
    throw new HttpError(404, 'not_found', 'No such route. An agent does not count tokens in advance.')
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  checkReferences(body)
  const start = await toStart(toChatFields(body), body, ctx)
  const keep = (reply: ChatReply, state: RunState) => handler.replies.add(user.id, reply, taintOf(state))
  const encoder = new MessageEvents({
    id: `msg_${crypto.randomUUID().replaceAll('-', '')}`,
    model: start.agent.name,
    withThinking: asksForThinking(body.thinking),
    onReply: keep,
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

function asksForThinking(thinking: unknown): boolean {
  return isRecord(thinking) && thinking.type !== 'disabled' && thinking.display !== 'omitted'
}
