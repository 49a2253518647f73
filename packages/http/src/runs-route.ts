import type { AnyRunResult, Decisions, Message, RunEvent } from '@capstan/core'
import type { LiveRun } from './active-runs.js'
import { agentOf, type Visit } from './context.js'
import { HttpError, notAllowed, toErrorBody, toHttpError } from './http-error.js'
import { readJson } from './read-json.js'
import { checkAnswer } from './resume-run.js'
import { type Encoder, type StreamEvent, toEvent } from './sse.js'
import { runWhole, type Start, startRun } from './start-run.js'
import { toPartStream } from './stream-run.js'

/**
 * Runs and their events: `POST runs` starts one, `GET runs/ID/events` reads one from where a reader was cut off,
 * `POST runs/ID/decisions` decides on a call that it waits for, `DELETE runs/ID` stops it.
 */
export async function runsRoute(visit: Visit): Promise<Response> {
  const { request, site, user, rest } = visit
  const [id, what] = rest
  const { method } = request
  if (id === undefined && method === 'POST') return begin(visit)
  if (id === undefined) throw notAllowed('POST')
  const run = site.runs.get(id, user.id)
  if (what === 'events' && method === 'GET') return streamed(run, visit, lastSeen(request))
  if (what === 'decisions' && method === 'POST') return decide(run, visit)
  if (what === undefined && method === 'DELETE') {
    run.abort(new Error('the caller stopped the run'))
    return new Response(null, { status: 204 })
  }
  throw new HttpError(404, 'not_found', 'There is no such route.')
}

async function begin(visit: Visit): Promise<Response> {
  const body = await readJson(visit)
  const start = toStart(body, visit)
  if (body.stream === false) return Response.json(toPublicResult(await runWhole(start, visit)))
  const run = await startRun(start, visit)
  return streamed(run, visit)
}

function toStart(sent: Readonly<Record<string, unknown>>, visit: Visit): Start {
  const { agent: name, input, session, run, decisions, wait } = sent
  const { site, user } = visit
  if (session !== undefined && typeof session !== 'string') throw invalid('session', 'a text')
  const further = { session, wait: wait === true, sent }
  if (decisions === undefined) return { ...further, agent: agentOf(site, name), input: toInput(input) }
  if (typeof decisions !== 'object' || decisions === null)
    throw invalid('decisions', 'an object of decisions by call id')
  // Not by its calls: two runs may each have one of the same id, and only one of them was looked at.
  const parked = typeof run === 'string' ? site.parked.get(user.id, run) : undefined
  if (!parked) throw new HttpError(404, 'not_found', 'No such run waits: say `run`, its id.')
  const kinds = new Map(parked.state.pending.map(({ callId, kind }) => [callId, kind]))
  for (const [callId, decision] of Object.entries(decisions)) checkAnswer(callId, decision, kinds.get(callId))
  return {
    ...further,
    agent: agentOf(site, parked.agent),
    input: parked.state,
    parked,
    decisions: decisions as Decisions,
  }
}

/** Instructions are the agent's own: nobody else gives any. */
function toInput(input: unknown): string | readonly Message[] {
  if (typeof input === 'string') return input
  if (!Array.isArray(input)) throw invalid('input', 'a text or a list of messages')
  if (input.some((message) => message?.role === 'system'))
    throw invalid('input', 'a conversation without system messages')
  return input
}

async function decide(run: LiveRun, visit: Visit): Promise<Response> {
  const { callId, decision } = await readJson(visit)
  if (typeof callId !== 'string') throw invalid('callId', 'a text')
  checkAnswer(callId, decision, run.kindOf(callId))
  // It does nothing where it cannot be: what is wrong is the caller's to know.
  await run.decide(callId, decision).catch((error: unknown) => {
    throw toHttpError(error, false)
  })
  return new Response(null, { status: 204 })
}

function streamed(run: LiveRun, visit: Visit, after = -1): Response {
  if (after + 1 < run.firstKept)
    throw new HttpError(410, 'gone', `Events up to ${run.firstKept - 1} are no longer kept.`)
  return toPartStream({ run, encoder: runEvents }, visit, { after, toText: toEvent })
}

/** The number of the last event that a reader saw: browsers say it themselves when they come back. */
function lastSeen(request: Request): number {
  const said = new URL(request.url).searchParams.get('after') ?? request.headers.get('last-event-id')
  if (said === null) return -1
  if (/^\d{1,15}$/.test(said)) return Number(said)
  throw invalid('after', 'the number of an event')
}

function invalid(field: string, what: string): HttpError {
  return new HttpError(400, 'invalid_request', `${field} must be ${what}.`)
}

/** A run in its own events, each by its number, and at last its result. */
const runEvents: Encoder<StreamEvent> = {
  first: () => [],
  event: (event) => [{ id: String(event.seq), event: event.type, data: toPublicEvent(event) }],
  end: (result) => [{ event: 'result', data: toPublicResult(result) }],
  failed: ({ status, code, message }) => [{ event: 'error', data: toErrorBody(status, code, message) }],
}

/** An event as callers may read it: what the model's server said when it failed is for the house. */
function toPublicEvent(event: RunEvent): RunEvent {
  if (event.type === 'retry-scheduled' || event.type === 'landing-failed')
    return { ...event, message: event.code }
  return event
}

/** How a run ended, as callers may read it: the conversation and the state stay in the house. */
function toPublicResult(result: AnyRunResult) {
  const { stopReason, limit, text, refusal, steps, artifacts, usage, pending, undelivered } = result
  const { output, runId } = result.state
  return {
    runId,
    stopReason,
    text,
    steps,
    usage,
    artifacts,
    ...(limit ? { limit } : {}),
    ...(refusal ? { refusal } : {}),
    ...(output === undefined ? {} : { output }),
    ...(pending ? { pending } : {}),
    ...(undelivered ? { undelivered } : {}),
  }
}
