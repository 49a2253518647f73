import { artifactUrl } from '../artifacts.js'
import { decodePathPart, type RequestContext } from '../context.js'
import { type ChatRuns, deleteChat, listChats, loadChat, noRuns } from '../stored-chats.js'
import { toUiMessages } from './to-ui-messages.js'

/**
 * Serves a user's stored conversations: `GET ui` lists them, `GET ui/CHAT` returns the messages of one, `DELETE
 * ui/CHAT` deletes it. Undefined if the request is for a different route.
 */
export async function storedUiRoute(
  ctx: RequestContext,
  runs: ChatRuns = noRuns,
): Promise<Response | undefined> {
  const { request, rest, handler } = ctx
  const [given, ...more] = rest
  if (more.length > 0) return undefined
  if (given === undefined) return request.method === 'GET' ? toJson(await listChats(ctx)) : undefined
  const id = decodePathPart(given)
  if (request.method === 'DELETE') {
    await deleteChat(id, ctx, runs)
    return new Response(null, { status: 204 })
  }
  if (request.method !== 'GET') return undefined
  const { messages, pending, branch, branches, runId } = await loadChat(id, ctx, runs)
  return toJson({
    id,
    messages: toUiMessages(messages, {
      id,
      pending,
      artifactUrl: (artifact) => artifactUrl(handler.options, artifact),
    }),
    branch,
    branches,
    ...(runId === undefined ? {} : { runId }),
  })
}

/** Returns a JSON response that is not cached, because a conversation changes with each message. */
export function toJson(body: object): Response {
  return Response.json(body, { headers: { 'cache-control': 'no-store' } })
}
