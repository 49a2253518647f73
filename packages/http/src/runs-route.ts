import type { Decision, Message, RunEvent } from '@capstan/core'
import { toErrorBody } from '@capstan/protocols/errors'
import type { StreamEvent } from '@capstan/protocols/sse'
import { storeFilesOfClient } from './artifacts.js'
import { readMessage } from './client-messages.js'
import { decodePathPart, findAgent, type RequestContext } from './context.js'
import { HttpError, methodNotAllowed, toHttpError } from './http-error.js'
import { readJson } from './read-json.js'
import { decide, stopRun } from './runs/decide.js'
import { readDecision } from './runs/decisions.js'
import { listRuns, toRunInfo } from './runs/inbox.js'
import { checkKept } from './runs/reader.js'
import { decidedOn, type EndedRun, type FoundRun, waitOf } from './runs/record.js'
import type { Following } from './runs/runs.js'
import { type Encoder, toEvent } from './sse.js'
import { endOfRun, streamRun } from './stream-run.js'

/**
 * Serves runs and their events. `POST runs` starts or continues a run, `GET runs` lists the user's runs, `GET runs/ID`
 * returns one, `GET runs/ID/events` streams its events from a given position, `POST runs/ID/decisions` decides on a
 * pending call, `DELETE runs/ID` aborts the run.
 */
export async function runsRoute(ctx: RequestContext): Promise<Response> {
  const { request, handler, user, rest } = ctx
  const [id, what] = rest
  const { method } = request
  if (id === undefined && method === 'POST') return createRun(ctx)
  if (id === undefined && method === 'GET') return listRuns(ctx)
  if (id === undefined) throw methodNotAllowed('GET, POST')
  const found = await handler.runs.find(user.id, decodePathPart(id))
  if (!found) throw new HttpError(404, 'not_found', 'No such run.')
  if (what === 'events' && method === 'GET') return streamEvents(allOf(found, ctx), ctx, lastEventId(request))
  if (what === 'decisions' && method === 'POST') return decideOn(found, ctx)
  if (what === undefined && method === 'GET') return Response.json(toRunInfo(found))
  if (what === undefined && method === 'DELETE') {
    await stopRun(handler.runs, found)
    return new Response(null, { status: 204 })
  }
  throw new HttpError(404, 'not_found', 'No such route.')
}

/** Follows a run to its end, including parts that later decisions start. */
function allOf(found: FoundRun, { handler }: RequestContext): Following {
  const { segment: _, ...following } = handler.runs.following(found)
  return following
}

async function createRun(ctx: RequestContext): Promise<Response> {
  const body = await readJson(ctx)
  const following = await startOrGoOn(body, ctx)
  if (body.stream === false) return Response.json(toPublicResult(await endOfRun(following, ctx)))
  return streamEvents(following, ctx, following.after)
}

async function startOrGoOn(sent: Readonly<Record<string, unknown>>, ctx: RequestContext): Promise<Following> {
  const { agent: name, input, session, run, decisions, wait } = sent
  const { handler, user } = ctx
  const isStreamed = sent.stream !== false
  if (session !== undefined && typeof session !== 'string') throw invalid('session', 'a string')
  if (decisions === undefined) {
    const agent = findAgent(handler, name)
    const given = toInput(input)
    const common = { agent, session, wait: wait === true, sent, isStreamed }
    if (typeof given === 'string') return handler.runs.start({ ...common, input: given }, ctx)
    const taintedBy = handler.replies.taintOfTexts(user.id, given)
    const stored = await storeFilesOfClient(given, agent, ctx)
    return handler.runs.start({ ...common, input: stored, ...(taintedBy && { taintedBy }) }, ctx)
  }
  if (typeof decisions !== 'object' || decisions === null)
    throw invalid('decisions', 'an object of decisions by call id')
  // By run id, not by call id: two runs may share a call id, and the user has decided on only one.
  const found = typeof run === 'string' ? await handler.runs.find(user.id, run) : undefined
  if (!found)
    throw new HttpError(404, 'not_found', "No such run is pending. Send the pending run's id as `run`.")
  const given = Object.fromEntries(
    Object.entries(decisions).map(([callId, decision]) => [callId, readFor(found, callId, decision)]),
  )
  return orClientError(decide(handler.runs, found, { decisions: given, how: { sent, isStreamed }, ctx }))
}

/** Reads a decision on a call that is pending or was decided before. */
function readFor({ record }: FoundRun, callId: string, given: unknown): Decision {
  const before = decidedOn(callId, record)
  const kindBefore = before && (before.decision.type === 'result' ? 'result' : 'approval')
  return readDecision(callId, given, waitOf(callId, record)?.call.kind ?? kindBefore)
}

/**
 * Reads a client's input. Clients cannot send instructions.
 * @throws HttpError 400 for invalid input or a system message
 */
function toInput(input: unknown): string | readonly Message[] {
  if (typeof input === 'string') return input
  if (!Array.isArray(input)) throw invalid('input', 'a string or an array of messages')
  const messages = input.map(readMessage)
  if (messages.some(({ role }) => role === 'system'))
    throw invalid('input', 'a conversation without "system" and "developer" messages')
  return messages
}

async function decideOn(found: FoundRun, ctx: RequestContext): Promise<Response> {
  const body = await readJson(ctx)
  const { callId, decision: given } = body
  if (typeof callId !== 'string') throw invalid('callId', 'a string')
  const decision = readFor(found, callId, given)
  await orClientError(
    decide(ctx.handler.runs, found, { decisions: { [callId]: decision }, how: { sent: {} }, ctx }),
  )
  return new Response(null, { status: 204 })
}

/**
 * Converts the error for a decision that cannot be applied. The decision had no effect, so the client gets the message.
 */
async function orClientError<T>(deciding: Promise<T>): Promise<T> {
  try {
    return await deciding
  } catch (error) {
    throw toHttpError(error, false)
  }
}

async function streamEvents(given: Following, ctx: RequestContext, after: number): Promise<Response> {
  const following = { ...given, after }
  await checkKept(ctx.handler.runs, following)
  return streamRun({ following, encoder: runEventEncoder }, ctx, { toText: toEvent })
}

/**
 * Returns the number of the last event that a client has received: from the query or, when a browser reconnects, from a
 * header. -1 if there is none.
 */
function lastEventId(request: Request): number {
  const given = new URL(request.url).searchParams.get('after') ?? request.headers.get('last-event-id')
  if (given === null) return -1
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw invalid('after', 'an event number')
}

function invalid(field: string, what: string): HttpError {
  return new HttpError(400, 'invalid_request', `${field} must be ${what}.`)
}

/** Encodes a run as its own events, each with its number, and its result at the end. */
const runEventEncoder: Encoder<StreamEvent> = {
  first: () => [],
  event: (event) => [{ id: String(event.seq), event: event.type, data: toPublicEvent(event) }],
  end: (result) => [{ event: 'result', data: toPublicResult(result) }],
  failed: (error) => [{ event: 'error', data: toErrorBody(error) }],
}

/** Removes error messages and server names from an event, because they may describe the application. */
function toPublicEvent(event: RunEvent): RunEvent {
  const isFailure = event.type === 'run-end' && event.stopReason === 'error'
  if (isFailure || event.type === 'retry-scheduled' || event.type === 'final-answer-failed')
    return { ...event, message: event.code }
  return event.type === 'message-added' ? { ...event, message: withoutMark(event.message) } : event
}

/** Removes message fields that only servers need. */
function withoutMark(message: Message): Message {
  if (!('server' in message || 'textForm' in message)) return message
  const { server: _, textForm: __, ...rest } = message
  return rest
}

/** Returns a run's result for clients, without its conversation and state. */
function toPublicResult(result: EndedRun) {
  const { stopReason, limit, exceeded, text, refusal, stepCount } = result
  const { artifacts, usage, pending, undelivered } = result
  const { output, runId } = result.state
  return {
    runId,
    stopReason,
    text,
    stepCount,
    usage,
    artifacts,
    ...(limit ? { limit } : {}),
    ...(exceeded ? { exceeded } : {}),
    ...(refusal ? { refusal } : {}),
    ...(output === undefined ? {} : { output }),
    ...(pending ? { pending } : {}),
    ...(undelivered ? { undelivered } : {}),
  }
}
