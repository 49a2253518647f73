import type { Message, RunState } from '@capstan/core'
import { hasUntrustedTool } from '@capstan/core/internal'
import { asksForApprovals, callerTools, toToolChoice } from '../client-tools.js'
import { agentOf, toPathText, type Visit } from '../context.js'
import { HttpError, invalidRequest, notAllowed } from '../http-error.js'
import { readJson } from '../read-json.js'
import { runWhole, type Start, startRun } from '../start-run.js'
import { toPartStream } from '../stream-run.js'
import type { ChatAnswer } from './known-replies.js'
import { goingOn, toConversation } from './messages.js'
import { ChatChunks, type ChunkHead, toCompletion } from './response.js'

/** `POST v1/chat/completions`: the agent as a model. Its own tools run here, calls of the caller's tools go back to it. */
export async function chatRoute(visit: Visit): Promise<Response> {
  const { request, user, site } = visit
  if (request.method !== 'POST') throw notAllowed('POST')
  const body = await readJson(visit)
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw invalidRequest('`n` must be 1: an agent gives one answer.')
  const start = toStart(body, visit)
  const keep = (answer: ChatAnswer, { flags }: RunState) =>
    site.answers.keep(user.id, answer, flags.taintedBy)
  const head: ChunkHead = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: start.agent.name,
  }
  if (body.stream === true) {
    const run = await startRun(start, visit)
    const encoder = new ChatChunks(head, { withUsage: wantsUsage(body), keep })
    // A client that left has a part of it.
    run
      .whenOver()
      .then((state) => state && keep({ content: encoder.text }, state))
      .catch(() => {})
    return toPartStream({ run, encoder }, visit, { mark: '[DONE]' })
  }
  const before = conversationOf(start).length
  const result = await runWhole(start, visit)
  const completion = toCompletion(head, result, before)
  keep(completion.choices[0].message, result.state)
  return Response.json(completion)
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
    taintedBy: sourceOf(messages, visit),
  }
}

/**
 * The untrusted source of a conversation that a client sends. The calls in it are of the client's own tools; an answer
 * that is not known here may hold what an untrusted tool of the agents brought. `false` leaves it to the run to look
 * for results of the agent's own untrusted tools.
 */
function sourceOf(messages: readonly Message[], { site, user }: Visit): string | false {
  const source = site.answers.sourceOf(user.id, messages)
  if (source !== undefined) return source
  return [...site.agents.values()].some(hasUntrustedTool) ? 'an unknown earlier answer' : false
}

function conversationOf({ input }: Start): readonly unknown[] {
  return typeof input === 'string' ? [] : 'messages' in input ? input.messages : input
}

function wantsUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return (options as { include_usage?: unknown } | undefined)?.include_usage === true
}

/** `GET v1/models`: the agents, as models. */
export async function modelsRoute({ request, site, rest }: Visit): Promise<Response> {
  if (request.method !== 'GET') throw notAllowed('GET')
  const data = [...site.agents.keys()].map((id) => ({ id, object: 'model', created: 0, owned_by: 'capstan' }))
  const [wanted] = rest
  if (wanted === undefined) return Response.json({ object: 'list', data })
  const model = data.find(({ id }) => id === toPathText(wanted))
  if (model) return Response.json(model)
  throw new HttpError(404, 'model_not_found', `There is no model ${JSON.stringify(wanted)}.`)
}
