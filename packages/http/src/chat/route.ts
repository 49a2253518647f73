import { decodePathPart, type RequestContext } from '../context.js'
import { HttpError, invalidRequest, methodNotAllowed } from '../http-error.js'
import { readModelRequest, replyAsModel } from '../model-route.js'
import { ChatWriter } from './chat-writer.js'

/**
 * `POST v1/chat/completions`: serves the agent as a model. The server runs the agent's own tools, and returns calls to
 * the client's tools to the client.
 */
export async function chatRoute(ctx: RequestContext): Promise<Response> {
  const body = await readModelRequest(ctx)
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw invalidRequest('`n` must be 1: an agent returns one reply.')
  const id = `chatcmpl-${crypto.randomUUID()}`
  return replyAsModel(body, body, ctx, {
    writer: (model) => new ChatWriter({ id, model, withUsage: wantsUsage(body) }),
    endMark: '[DONE]',
  })
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
