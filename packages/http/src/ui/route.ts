import { isRecord } from '@capstan/core/internal'
import { artifactUrl } from '../artifacts.js'
import { clientTools } from '../client-tools.js'
import { decodePathPart, findAgent, type RequestContext } from '../context.js'
import { HttpError, invalidRequest, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { chatKey, chatRunsOf } from '../runs/chat-runs.js'
import { decide, findDecided } from '../runs/decide.js'
import { decisionsFor, notWaiting } from '../runs/decisions.js'
import { checkKept } from '../runs/reader.js'
import type { Following } from '../runs/runs.js'
import { supersede } from '../runs/supersede.js'
import type { StartOptions } from '../start-run.js'
import { streamRun } from '../stream-run.js'
import { effectsOf, noPlace, placeOf, startIn } from './branches.js'
import { readUiRequest, toMessages, type UiMessage, type UiRequest, uiDecisions } from './messages.js'
import { storedUiRoute } from './stored.js'
import { UiStream } from './stream.js'

/**
 * Serves AI SDK chats (`useChat`). `POST ui` responds with a UI message stream. `GET ui/CHAT/stream` streams the chat's
 * last reply from its start if it is still in progress or was not read to its end; otherwise the status is 204.
 */
export async function uiRoute(ctx: RequestContext): Promise<Response> {
  const { request, rest } = ctx
  const [id, what] = rest
  const stored = await storedUiRoute(ctx, chatRunsOf(ctx.handler, 'ui'))
  if (stored) return stored
  if (id === undefined) {
    if (request.method !== 'POST') throw methodNotAllowed('GET, POST')
    return reply(await readJson(ctx), ctx)
  }
  if (what === undefined) throw methodNotAllowed('GET, DELETE')
  if (what !== 'stream' || rest.length !== 2) throw new HttpError(404, 'not_found', 'No such route.')
  if (request.method !== 'GET') throw methodNotAllowed('GET')
  return (await streamAgain(decodePathPart(id), ctx)) ?? new Response(null, { status: 204 })
}

/**
 * Streams a chat's last reply again. Undefined if the reply was read to its end, was aborted, or is no longer stored
 * from its start.
 */
async function streamAgain(id: string, ctx: RequestContext): Promise<Response | undefined> {
  const { runs } = ctx.handler
  const found = await runs.newest(ctx.user.id, { chat: chatKey('ui', id) })
  if (!found || found.record.state?.stopReason === 'aborted') return undefined
  const following = runs.following(found)
  if (await runs.store.find(readKey(following))) return undefined
  try {
    await checkKept(runs, following)
    return stream(following, ctx)
  } catch (error) {
    // The stream needs the run's first events.
    if (error instanceof HttpError && error.status === 410) return undefined
    throw error
  }
}

async function reply(body: Readonly<Record<string, unknown>>, ctx: RequestContext): Promise<Response> {
  const chatRequest = readUiRequest(body)
  return stream((await goOn(chatRequest, body, ctx)) ?? (await startFresh(chatRequest, body, ctx)), ctx)
}

function stream(following: Following, ctx: RequestContext): Response {
  const { handler } = ctx
  const { runId, head, before, decisions } = following
  const encoder = new UiStream({
    messageId: typeof head.messageId === 'string' ? head.messageId : runId,
    ...{ runId, before, decisions },
    effects: effectsOf(following),
    artifactUrl: (id) => artifactUrl(handler.options, id),
  })
  return streamRun({ following, encoder }, ctx, {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    endMark: '[DONE]',
    onComplete: () => {
      const { store, clock } = handler.runs
      store.setOnce(readKey(following), true, clock.now() + handler.options.keepPendingMs).catch(() => {})
    },
  })
}

/** Returns the key that marks a reply as read to its end. */
function readKey({ runId, segment }: Following): string {
  return `read/${runId}/${segment}`
}

/** Continues the run whose calls the page has decided on. Undefined if there is no such run. */
async function goOn(
  chatRequest: UiRequest,
  sent: Readonly<Record<string, unknown>>,
  ctx: RequestContext,
): Promise<Following | undefined> {
  const { last } = chatRequest
  if (last.role !== 'assistant') return undefined
  const given = uiDecisions(last)
  const found = await findDecided(given, ctx)
  const decisions = found && decisionsFor(given, found)
  if (!decisions) return undefined
  const how = { sent, tools: toolsOf(chatRequest), head: { messageId: last.id } }
  return decide(ctx.handler.runs, found, { decisions, how, ctx })
}

async function startFresh(
  chatRequest: UiRequest,
  sent: Readonly<Record<string, unknown>>,
  ctx: RequestContext,
): Promise<Following> {
  const { handler } = ctx
  // Check the limits before anything is stored.
  handler.runs.check(ctx.user.id)
  const tools = toolsOf(chatRequest)
  const { id, messages, last, change } = chatRequest
  const session = sessionOf(chatRequest, ctx)
  const agent = findAgent(handler, chatRequest.agent)
  const known = session === undefined ? messages : [last]
  if (last.role === 'assistant' && (session !== undefined || hasDecisions(last))) throw notWaiting()
  const sentMessages = await toMessages(known, agent, ctx)
  if (sentMessages.at(-1)?.role === 'assistant')
    throw invalidRequest('The last message must be a user message or contain results.')
  const branch = new URL(ctx.request.url).searchParams.get('branch') ?? chatRequest.branch
  const place =
    session === undefined
      ? noPlace
      : await placeOf({ protocol: 'ui', id: session, change, branch }, agent, ctx)
  const chat = id === undefined ? undefined : chatKey('ui', id)
  const before = chat === undefined ? undefined : await supersede(handler.runs, ctx.user.id, chat)
  // If the server keeps no session, the page's messages already contain the pending calls. If the conversation was cut,
  // those calls were removed with the part after the cut.
  const closed = session === undefined || place.undo ? [] : (before?.messages ?? [])
  const input = place.again ? [place.again] : [...closed, ...sentMessages]
  const start: StartOptions = {
    ...{ agent, input, session, chat, sent, tools },
    userIds: session === undefined ? [] : [place.againId ?? last.id],
    taintedBy: before?.taintedBy ?? handler.replies.taintOfTexts(ctx.user.id, input),
    head: last.role === 'assistant' ? { messageId: last.id } : {},
  }
  return startIn(place, start, ctx)
}

/** Returns the session id: the chat's id, if conversations are stored. */
function sessionOf({ id }: UiRequest, { handler }: RequestContext): string | undefined {
  if (!handler.options.sessions) return undefined
  if (id === undefined) throw invalidRequest('`id` must be the id of the chat.')
  return id
}

function hasDecisions(message: UiMessage): boolean {
  return [...uiDecisions(message).values()].some(({ decision }) => decision.type !== 'result')
}

/** Returns the page's tools in the chat completions format. */
function toolsOf({ tools }: UiRequest): NonNullable<StartOptions['tools']> {
  const all = Object.entries(tools).map(([name, given]) => {
    const { description, parameters } = isRecord(given) ? given : {}
    return { type: 'function', function: { name, description, parameters } }
  })
  clientTools(all)
  return JSON.parse(JSON.stringify(all))
}
