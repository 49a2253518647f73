import { isRecord } from '@capstan/core/internal'
import type { OpenChat } from '../active-runs.js'
import { artifactUrl } from '../artifacts.js'
import { callerTools } from '../client-tools.js'
import { agentOf, toPathText, type Visit } from '../context.js'
import { HttpError, invalidRequest, notAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { goOn, knownBefore, nothingWaits } from '../resume-run.js'
import { type Start, startRun } from '../start-run.js'
import { toPartStream } from '../stream-run.js'
import { readUiRequest, toMessages, type UiMessage, type UiRequest, uiAnswers } from './messages.js'
import { UiParts } from './stream.js'

/**
 * `POST ui`: a chat of the AI SDK (`useChat`), answered as its UI message stream. `GET ui/CHAT/stream`: the answer that
 * is on its way or was not read to its end, from its start; 204 when there is none.
 */
export async function uiRoute(visit: Visit): Promise<Response> {
  const { request, rest } = visit
  const [id, what] = rest
  if (id === undefined) {
    if (request.method !== 'POST') throw notAllowed('POST')
    return answer(await readJson(visit), visit)
  }
  if (what !== 'stream' || rest.length !== 2) throw new HttpError(404, 'not_found', 'There is no such route.')
  if (request.method !== 'GET') throw notAllowed('GET')
  const chatId = toPathText(id)
  const chat = visit.site.chats.find(visit.user.id, chatId)
  // Of a run whose first events are gone nothing can be told from its start.
  return chat && chat.run.firstKept === 0 ? stream(chat, chatId, visit) : new Response(null, { status: 204 })
}

async function answer(body: Readonly<Record<string, unknown>>, visit: Visit): Promise<Response> {
  const { site } = visit
  const asked = readUiRequest(body)
  const start = { ...(goneOn(asked, visit) ?? (await anew(asked, visit))), sent: body }
  const run = await startRun(start, visit)
  const head = {
    messageId: asked.last.role === 'assistant' ? asked.last.id : run.id,
    runId: run.id,
    before: knownBefore(start),
    artifactUrl: (id: string) => artifactUrl(site.options, id),
  }
  const chat = { run, encode: () => new UiParts(head) }
  if (asked.id !== undefined) site.chats.add(asked.id, chat)
  return stream(chat, asked.id, visit)
}

function stream(chat: OpenChat, id: string | undefined, visit: Visit): Response {
  return toPartStream({ run: chat.run, encoder: chat.encode() }, visit, {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    mark: '[DONE]',
    whole: () => {
      if (id !== undefined) visit.site.chats.close(id, chat)
    },
  })
}

type Begun = Omit<Start, 'sent'>

/** The run that waits for what the page has answered. */
function goneOn(asked: UiRequest, visit: Visit): Begun | undefined {
  const going = asked.last.role === 'assistant' ? goOn(uiAnswers(asked.last), visit) : undefined
  if (!going) return undefined
  const { parked } = going
  const agent = agentOf(visit.site, parked.agent)
  const further = { session: sessionOf(asked, visit), tools: toolsOf(asked) }
  return { ...going, agent, input: parked.state, ...further }
}

async function anew(asked: UiRequest, visit: Visit): Promise<Begun> {
  // Before files are taken in that nobody would look at.
  visit.site.runs.check(visit.user.id)
  const { messages, last } = asked
  const session = sessionOf(asked, visit)
  const agent = agentOf(visit.site, asked.agent)
  const known = session === undefined ? messages : [last]
  if (last.role === 'assistant' && (session !== undefined || hasDecisions(last))) throw nothingWaits()
  const input = await toMessages(known, agent, visit)
  if (input.at(-1)?.role === 'assistant')
    throw invalidRequest("The last message must be the user's, or hold results.")
  return { agent, input, session, tools: toolsOf(asked) }
}

/** The chat's own name is that of the conversation which is kept. */
function sessionOf({ id, isChange }: UiRequest, { site }: Visit): string | undefined {
  if (!site.options.sessions) return undefined
  if (id === undefined) throw invalidRequest('`id` must be the id of the chat.')
  if (!isChange) return id
  const message = 'Conversations that are kept here are only added to: nothing is changed or answered anew.'
  throw invalidRequest(message)
}

function hasDecisions(message: UiMessage): boolean {
  return [...uiAnswers(message).values()].some(({ decision }) => decision.type !== 'result')
}

function toolsOf({ tools }: UiRequest): Start['tools'] {
  return callerTools(Object.entries(tools).map(([name, given]) => toTool(name, given)))
}

function toTool(name: string, given: unknown): object {
  const { description, parameters } = isRecord(given) ? given : {}
  return { function: { name, description, parameters } }
}
