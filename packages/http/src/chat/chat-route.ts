import type { AnyRunResult, Decisions } from '@capstan/core'
import { HttpError, toErrorBody, toHttpError } from '../http-error.js'
import { notAllowed } from '../not-allowed.js'
import { readJson } from '../read-json.js'
import { agentOf, type Visit } from '../site.js'
import { toEvent, toEventStream } from '../sse.js'
import { runWhole, type Start, startRun } from '../start-run.js'
import { asksForApprovals, callerTools, toToolChoice } from './caller-tools.js'
import { ChatChunks, type ChunkHead } from './chat-chunks.js'
import { goingOn } from './going-on.js'
import { toCompletion } from './to-completion.js'
import { toConversation } from './to-conversation.js'

/** `POST v1/chat/completions`: the agent as a model. Its own tools run here, calls of the caller's tools go back to it. */
export async function chatRoute(visit: Visit): Promise<Response> {
  const { request, site } = visit
  if (request.method !== 'POST') throw notAllowed('POST')
  const body = await readJson(request, site.options.maxBodyBytes)
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw new HttpError(400, 'invalid_request', '`n` must be 1: an agent gives one answer.')
  const start = toStart(body, visit)
  const head: ChunkHead = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: start.agent.name,
  }
  const asks = asksForApprovals(body.tools)
  if (body.stream === true) return stream(start, visit, { head, asks, withUsage: wantsUsage(body) })
  const before = conversationOf(start).length
  let result = await runWhole(start, visit)
  for (let denials = denialsOf(result, asks); denials; denials = denialsOf(result, asks))
    result = await runWhole({ ...start, input: result.state, decisions: denials }, visit)
  return Response.json(toCompletion(head, result, before))
}

function toStart(body: Readonly<Record<string, unknown>>, visit: Visit): Start {
  const { site, user } = visit
  const messages = toConversation(body.messages)
  const tools = body.tool_choice === 'none' ? [] : callerTools(body.tools)
  const known = goingOn(messages, user.id, site.parked)
  if (known) {
    site.parked.take(known.parked)
    const { agent, state } = known.parked
    return { agent: agentOf(site, agent), input: state, decisions: known.decisions, tools }
  }
  return {
    agent: agentOf(site, body.model),
    input: messages,
    tools,
    toolChoice: toToolChoice(body.tool_choice),
  }
}

function conversationOf({ input }: Start): readonly unknown[] {
  return typeof input === 'string' ? [] : 'messages' in input ? input.messages : input
}

function wantsUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return (options as { include_usage?: unknown } | undefined)?.include_usage === true
}

/** Nobody can be asked by a client that knows of no approvals: such calls are not run, and the model is told. */
function denialsOf({ pending = [] }: AnyRunResult, asks: boolean): Decisions | undefined {
  const asked = asks ? [] : pending.filter(({ kind }) => kind === 'approval')
  if (asked.length === 0) return undefined
  const denial = {
    type: 'deny',
    reason: 'it needs the approval of a person, and nobody can be asked here.',
  } as const
  return Object.fromEntries(asked.map(({ callId }) => [callId, denial]))
}

interface Streaming {
  readonly head: ChunkHead
  readonly asks: boolean
  readonly withUsage: boolean
}

async function stream(start: Start, visit: Visit, streaming: Streaming): Promise<Response> {
  const leaving = new AbortController()
  // Before the answer begins, so that what cannot be started is a status of its own.
  const run = startRun(start, visit)
  await run.begun
  const pieces = async function* () {
    const chunks = new ChatChunks(streaming.head)
    yield toEvent({ data: chunks.first() })
    try {
      let current = run
      for (;;) {
        for await (const event of current.read(leaving.signal))
          for (const chunk of chunks.event(event)) yield toEvent({ data: chunk })
        if (leaving.signal.aborted) return
        const result = await current.result
        const denials = denialsOf(result, streaming.asks)
        if (!denials) {
          for (const chunk of chunks.end(result, streaming.withUsage)) yield toEvent({ data: chunk })
          yield toEvent({ data: '[DONE]' })
          return
        }
        current = startRun({ ...start, input: result.state, decisions: denials }, visit)
      }
    } catch (thrown) {
      const { status, code, message } = toHttpError(thrown)
      yield toEvent({ data: { error: toErrorBody(status, code, message) } })
    }
  }
  return toEventStream(pieces(), {
    keepAliveMs: visit.site.options.keepAliveMs,
    left: () => leaving.abort(),
    headers: { 'x-run-id': run.id },
  })
}
