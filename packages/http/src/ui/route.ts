import { isRecord } from '@capstan/core/internal'
import type { ChatStream } from '../active-runs.js'
import { artifactUrl } from '../artifacts.js'
import { clientTools } from '../client-tools.js'
import { decodePathPart, findAgent, type RequestContext } from '../context.js'
import { HttpError, invalidRequest, methodNotAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { clientState, notWaiting, resumeRun } from '../resume-run.js'
import { type StartOptions, startRun } from '../start-run.js'
import { streamRun } from '../stream-run.js'
import { readUiRequest, toMessages, type UiMessage, type UiRequest, uiDecisions } from './messages.js'
import { UiStream } from './stream.js'

/**
 * Serves chats of the AI SDK (`useChat`). `POST ui` responds with a UI message stream. `GET ui/CHAT/stream`
 * streams a reply that is active or was not read to its end, from its start; 204 without one.
 */
export async function uiRoute(ctx: RequestContext): Promise<Response> {
  const { request, rest } = ctx
  const [id, what] = rest
  if (id === undefined) {
    if (request.method !== 'POST') throw methodNotAllowed('POST')
    return reply(await readJson(ctx), ctx)
  }
  if (what !== 'stream' || rest.length !== 2) throw new HttpError(404, 'not_found', 'No such route.')
  if (request.method !== 'GET') throw methodNotAllowed('GET')
  const chatId = decodePathPart(id)
  const chat = ctx.handler.chats.get(ctx.user.id, chatId)
  try {
    if (chat) return stream(chat, chatId, ctx)
  } catch (error) {
    // The stream needs the run's first events.
    if (!(error instanceof HttpError && error.status === 410)) throw error
  }
  return new Response(null, { status: 204 })
}

async function reply(body: Readonly<Record<string, unknown>>, ctx: RequestContext): Promise<Response> {
  const { handler } = ctx
  const chatRequest = readUiRequest(body)
  const start = { ...(resumeStart(chatRequest, ctx) ?? (await freshStart(chatRequest, ctx))), sent: body }
  const run = await startRun(start, ctx)
  const head = {
    messageId: chatRequest.last.role === 'assistant' ? chatRequest.last.id : run.id,
    runId: run.id,
    before: clientState(start),
    artifactUrl: (id: string) => artifactUrl(handler.options, id),
  }
  const chat = { run, createEncoder: () => new UiStream(head) }
  if (chatRequest.id !== undefined) handler.chats.add(chatRequest.id, chat)
  return stream(chat, chatRequest.id, ctx)
}

function stream(chat: ChatStream, id: string | undefined, ctx: RequestContext): Response {
  return streamRun({ run: chat.run, encoder: chat.createEncoder() }, ctx, {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    endMark: '[DONE]',
    onComplete: () => {
      if (id !== undefined) ctx.handler.chats.close(id, chat)
    },
  })
}

type RunStart = Omit<StartOptions, 'sent'>

/** Returns the pending run that the page has decided on. */
function resumeStart(chatRequest: UiRequest, ctx: RequestContext): RunStart | undefined {
  const resumed =
    chatRequest.last.role === 'assistant' ? resumeRun(uiDecisions(chatRequest.last), ctx) : undefined
  if (!resumed) return undefined
  const { pendingRun } = resumed
  const agent = findAgent(ctx.handler, pendingRun.agent)
  const common = { session: sessionOf(chatRequest, ctx), tools: toolsOf(chatRequest) }
  return { ...resumed, agent, input: pendingRun.state, ...common }
}

async function freshStart(chatRequest: UiRequest, ctx: RequestContext): Promise<RunStart> {
  // Checked before files are stored.
  ctx.handler.runs.check(ctx.user.id)
  const { messages, last } = chatRequest
  const session = sessionOf(chatRequest, ctx)
  const agent = findAgent(ctx.handler, chatRequest.agent)
  const known = session === undefined ? messages : [last]
  if (last.role === 'assistant' && (session !== undefined || hasDecisions(last))) throw notWaiting()
  const input = await toMessages(known, agent, ctx)
  if (input.at(-1)?.role === 'assistant')
    throw invalidRequest('The last message must be a user message or hold results.')
  const taintedBy = ctx.handler.replies.taintOfTexts(ctx.user.id, input)
  return { agent, input, session, tools: toolsOf(chatRequest), taintedBy }
}

/** Returns the session id: the id of the chat, if conversations are stored. */
function sessionOf({ id, isChange }: UiRequest, { handler }: RequestContext): string | undefined {
  if (!handler.options.sessions) return undefined
  if (id === undefined) throw invalidRequest('`id` must be the id of the chat.')
  if (!isChange) return id
  const message = 'This server stores conversations: earlier messages cannot be changed or regenerated.'
  throw invalidRequest(message)
}

function hasDecisions(message: UiMessage): boolean {
  return [...uiDecisions(message).values()].some(({ decision }) => decision.type !== 'result')
}

function toolsOf({ tools }: UiRequest): StartOptions['tools'] {
  return clientTools(Object.entries(tools).map(([name, given]) => toTool(name, given)))
}

function toTool(name: string, given: unknown): object {
  const { description, parameters } = isRecord(given) ? given : {}
  return { function: { name, description, parameters } }
}
