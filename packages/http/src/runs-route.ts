import type { Decisions, Message, RunEvent, RunResult, RunState } from '@capstan/core'
import { toErrorBody } from '@capstan/protocols/errors'
import type { StreamEvent } from '@capstan/protocols/sse'
import type { ActiveRun } from './active-runs.js'
import { storeFilesOfClient } from './artifacts.js'
import { readMessage } from './client-messages.js'
import { findAgent, type RequestContext } from './context.js'
import { HttpError, methodNotAllowed, toHttpError } from './http-error.js'
import { askingState } from './pending-runs.js'
import { readJson } from './read-json.js'
import { readDecision, resumeWith } from './resume-run.js'
import { type Encoder, toEvent } from './sse.js'
import { runToEnd, type StartOptions, startRun } from './start-run.js'
import { streamRun } from './stream-run.js'

/**
 * Serves runs and their events. `POST runs` starts a run, `GET runs/ID/events` streams its events from a
 * given one on, `POST runs/ID/decisions` decides on a pending call, `DELETE runs/ID` aborts it.
 */
export async function runsRoute(ctx: RequestContext): Promise<Response> {
  const { request, handler, user, rest } = ctx
  const [id, what] = rest
  const { method } = request
  if (id === undefined && method === 'POST') return createRun(ctx)
  if (id === undefined) throw methodNotAllowed('POST')
  const run = handler.runs.get(id, user.id)
  if (what === 'events' && method === 'GET') return streamEvents(run, ctx, lastEventId(request))
  if (what === 'decisions' && method === 'POST') return decide(run, ctx)
  if (what === undefined && method === 'DELETE') {
    run.abort(new Error('the client aborted the run'))
    return new Response(null, { status: 204 })
  }
  throw new HttpError(404, 'not_found', 'No such route.')
}

async function createRun(ctx: RequestContext): Promise<Response> {
  const body = await readJson(ctx)
  const given = toStartOptions(body, ctx)
  // A pending run is claimed before any other request is read.
  const start = given instanceof Promise ? await given : given
  if (body.stream === false) return Response.json(toPublicResult(await runToEnd(start, ctx)))
  const run = await startRun(start, ctx)
  return streamEvents(run, ctx)
}

function toStartOptions(
  sent: Readonly<Record<string, unknown>>,
  ctx: RequestContext,
): StartOptions | Promise<StartOptions> {
  const { agent: name, input, session, run, decisions, wait } = sent
  const { handler, user } = ctx
  if (session !== undefined && typeof session !== 'string') throw invalid('session', 'a text')
  const common = { session, wait: wait === true, sent }
  if (decisions === undefined) {
    const agent = findAgent(handler, name)
    const given = toInput(input)
    if (typeof given === 'string') return { ...common, agent, input: given }
    const taintedBy = handler.replies.taintOfTexts(user.id, given)
    return storeFilesOfClient(given, agent, ctx).then((stored) => {
      return { ...common, agent, input: stored, taintedBy }
    })
  }
  if (typeof decisions !== 'object' || decisions === null)
    throw invalid('decisions', 'an object of decisions by call id')
  // By run id and not by call id: two runs may share a call id, and the user has decided on only one.
  const pendingRun = typeof run === 'string' ? handler.pendingRuns.get(user.id, run) : undefined
  if (!pendingRun) throw new HttpError(404, 'not_found', 'No such run is pending. Send its id as `run`.')
  // A client that repeats its request continues the run whose last resume failed.
  const repeated = resumeWith(pendingRun, readDecisions(decisions, askingState(pendingRun)))
  return {
    ...common,
    agent: findAgent(handler, pendingRun.agent),
    input: pendingRun.state,
    pendingRun,
    decisions: repeated?.decisions ?? readDecisions(decisions, pendingRun.state),
  }
}

function readDecisions(given: object, { pending }: Pick<RunState, 'pending'>): Decisions {
  const kinds = new Map(pending.map(({ callId, kind }) => [callId, kind]))
  const entries = Object.entries(given)
  return Object.fromEntries(
    entries.map(([callId, decision]) => [callId, readDecision(callId, decision, kinds.get(callId))]),
  )
}

/** Checks the input. Clients cannot give instructions. */
function toInput(input: unknown): string | readonly Message[] {
  if (typeof input === 'string') return input
  if (!Array.isArray(input)) throw invalid('input', 'a text or an array of messages')
  const messages = input.map(readMessage)
  if (messages.some(({ role }) => role === 'system'))
    throw invalid('input', 'a conversation without messages of the roles "system" and "developer"')
  return messages
}

async function decide(run: ActiveRun, ctx: RequestContext): Promise<Response> {
  const { callId, decision: given } = await readJson(ctx)
  if (typeof callId !== 'string') throw invalid('callId', 'a text')
  const decision = readDecision(callId, given, run.kindOf(callId))
  // On an error the decision has no effect, so the client gets the message.
  await run.decide(callId, decision).catch((error: unknown) => {
    throw toHttpError(error, false)
  })
  return new Response(null, { status: 204 })
}

function streamEvents(run: ActiveRun, ctx: RequestContext, after = -1): Response {
  return streamRun({ run, encoder: runEventEncoder }, ctx, { after, toText: toEvent })
}

/** Returns the number of the last event that a client received. Browsers send it when they reconnect. */
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

/** Returns an event without error messages and the names of servers, which may describe the application. */
function toPublicEvent(event: RunEvent): RunEvent {
  const isFailure = event.type === 'run-end' && event.stopReason === 'error'
  if (isFailure || event.type === 'retry-scheduled' || event.type === 'final-answer-failed')
    return { ...event, message: event.code }
  return event.type === 'message-added' ? { ...event, message: withoutMark(event.message) } : event
}

/** Removes the marks of a message that are for servers alone. */
function withoutMark(message: Message): Message {
  if (!('server' in message || 'textForm' in message)) return message
  const { server: _, textForm: __, ...rest } = message
  return rest
}

/** Returns a run's result for clients, without its conversation and state. */
function toPublicResult(result: RunResult) {
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
