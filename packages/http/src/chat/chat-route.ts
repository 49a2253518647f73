import { HttpError } from '../http-error.js'
import { notAllowed } from '../not-allowed.js'
import { toPartStream } from '../part-stream.js'
import { readJson } from '../read-json.js'
import { agentOf, type Visit } from '../site.js'
import { runWhole, type Start, startRun } from '../start-run.js'
import { asksForApprovals, callerTools, toToolChoice } from './caller-tools.js'
import { ChatChunks, type ChunkHead } from './chat-chunks.js'
import { goingOn } from './going-on.js'
import { toCompletion } from './to-completion.js'
import { toConversation } from './to-conversation.js'

/** `POST v1/chat/completions`: the agent as a model. Its own tools run here, calls of the caller's tools go back to it. */
export async function chatRoute(visit: Visit): Promise<Response> {
  if (visit.request.method !== 'POST') throw notAllowed('POST')
  const body = await readJson(visit)
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw new HttpError(400, 'invalid_request', '`n` must be 1: an agent gives one answer.')
  const start = toStart(body, visit)
  const head: ChunkHead = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: start.agent.name,
  }
  if (body.stream === true) {
    const run = await startRun(start, visit)
    return toPartStream({ run, encoder: new ChatChunks(head, wantsUsage(body)) }, visit, { mark: '[DONE]' })
  }
  const before = conversationOf(start).length
  return Response.json(toCompletion(head, await runWhole(start, visit), before))
}

function toStart(body: Readonly<Record<string, unknown>>, visit: Visit): Start {
  const { site, user } = visit
  const messages = toConversation(body.messages)
  const tools = body.tool_choice === 'none' ? [] : callerTools(body.tools)
  // Such calls are not run, and the model is told.
  const unattended = !asksForApprovals(body.tools)
  const known = goingOn(messages, user.id, site.parked)
  if (known) {
    const { agent, state } = known.parked
    return { ...known, agent: agentOf(site, agent), input: state, tools, unattended, sent: body }
  }
  return {
    sent: body,
    agent: agentOf(site, body.model),
    input: messages,
    tools,
    toolChoice: toToolChoice(body.tool_choice),
    unattended,
  }
}

function conversationOf({ input }: Start): readonly unknown[] {
  return typeof input === 'string' ? [] : 'messages' in input ? input.messages : input
}

function wantsUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return (options as { include_usage?: unknown } | undefined)?.include_usage === true
}
