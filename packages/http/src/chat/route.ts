import type { RunState } from '@capstan/core'
import { decodePathPart, type RequestContext } from '../context.js'
import { HttpError, invalidRequest, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { messagesOf, runToEnd, startRun } from '../start-run.js'
import { checkReferences } from '../stored-references.js'
import { streamRun } from '../stream-run.js'
import { type ChatReply, taintOf } from './known-replies.js'
import { ChatChunks, type ChunkHead, toCompletion } from './response.js'
import { toStart } from './start.js'

/**
 * `POST v1/chat/completions`: serves the agent as a model. Its own tools run here; calls of the client's
 * tools are returned to the client.
 */
export async function chatRoute(ctx: RequestContext): Promise<Response> {
  const { request, user, handler } = ctx
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  const body = await readJson(ctx)
  checkReferences(body)
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw invalidRequest('`n` must be 1: an agent gives one reply.')
  const start = await toStart(body, body, ctx)
  const keep = (reply: ChatReply, state: RunState) => handler.replies.add(user.id, reply, taintOf(state))
  const head: ChunkHead = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: start.agent.name,
  }
  if (body.stream === true) {
    const run = await startRun(start, ctx)
    const encoder = new ChatChunks(head, { withUsage: wantsUsage(body), onReply: keep })
    // A client that disconnected has the beginning of the reply.
    run
      .whenEnded()
      .then((state) => state && keep({ content: encoder.text }, state))
      .catch(() => {})
    return streamRun({ run, encoder }, ctx, { endMark: '[DONE]' })
  }
  const messagesBefore = messagesOf(start).length
  const result = await runToEnd(start, ctx)
  const completion = toCompletion(head, result, messagesBefore)
  keep(completion.choices[0].message, result.state)
  return Response.json(completion)
}

function wantsUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return (options as { include_usage?: unknown } | undefined)?.include_usage === true
}

/** `GET v1/models`: lists the agents as models. */
export async function modelsRoute({ request, handler, rest }: RequestContext): Promise<Response> {
  if (request.method !== 'GET') throw methodNotAllowed('GET')
  const data = [...handler.agents.keys()].map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'capstan',
  }))
  const [wanted] = rest
  if (wanted === undefined) return Response.json({ object: 'list', data })
  const model = data.find(({ id }) => id === decodePathPart(wanted))
  if (model) return Response.json(model)
  throw new HttpError(
    404,
    'model_not_found',
    `No model ${JSON.stringify(wanted)}. GET v1/models lists the models.`,
  )
}
