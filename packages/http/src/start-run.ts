import type { AnyAgent, AnyRunResult, Decisions, RunInput, RunOptions } from '@capstan/core'
import { HttpError } from './http-error.js'
import { joined } from './joined.js'
import { LiveRun } from './live-run.js'
import type { Visit } from './site.js'

/** What is run. */
export interface Start {
  readonly agent: AnyAgent
  readonly input: RunInput
  /** The name of a conversation that is kept. */
  readonly session?: string | undefined
  readonly decisions?: Decisions | undefined
  /** The run waits for decisions in place of ending as pending. */
  readonly wait?: boolean
  readonly tools?: RunOptions['tools']
  readonly toolChoice?: RunOptions['toolChoice']
}

/** Starts a run whose events are read as they come. @throws HttpError 429 when too many go on */
export function startRun(start: Start, visit: Visit): LiveRun {
  const { site, user } = visit
  const { onDisconnect } = site.options
  const id = crypto.randomUUID()
  const { options, over } = prepare(start, visit, id)
  try {
    const run = site.runs.start(() => {
      const begun = start.agent.stream(start.input, { ...options, wait: start.wait ?? false, detach: true })
      return new LiveRun(begun, {
        id,
        owner: user.id,
        maxEvents: 20_000,
        outlivesReaders: onDisconnect === 'finish',
      })
    })
    run.result
      .then(
        (result) => settle(result, start, visit),
        (error) => tell(error, visit),
      )
      .finally(over)
    return run
  } catch (error) {
    over()
    throw error
  }
}

/** Runs to the end without reading the model's words as they come; it is stopped when its caller hangs up. */
export async function runWhole(start: Start, visit: Visit): Promise<AnyRunResult> {
  const { site, request } = visit
  const { options, over } = prepare(start, visit, crypto.randomUUID())
  const { signal, release } = joined(
    options.signal,
    site.options.onDisconnect === 'abort' ? request.signal : undefined,
  )
  try {
    const result = await site.runs.during(() => start.agent.run(start.input, { ...options, signal }))
    settle(result, start, visit)
    return result
  } catch (error) {
    tell(error, visit)
    throw error
  } finally {
    release()
    over()
  }
}

/** The options of a run, and what is to be called when it is over. */
function prepare(
  { session, decisions, tools, toolChoice }: Start,
  { request, user, site }: Visit,
  runId: string,
) {
  const { sessions, context, maxSeconds } = site.options
  if (session !== undefined && !sessions)
    throw new HttpError(400, 'invalid_request', 'Conversations are not kept here: leave `session` out.')
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('the time of the run is over')), maxSeconds * 1000)
  const options = {
    runId,
    signal: late.signal,
    // What the agent's tools ask for is for the host to know.
    context: context?.(request, user) as never,
    ...(session !== undefined && sessions
      ? { session: { store: sessions, id: sessionId(user.id, session) } }
      : {}),
    // A caller may come back with other tools of its own.
    ...(decisions ? { decisions, allowChangedTools: true } : {}),
    ...(tools ? { tools } : {}),
    ...(toolChoice ? { toolChoice } : {}),
  }
  return { options, over: () => clearTimeout(timer) }
}

/** One user's conversation, whatever others call theirs. */
export function sessionId(userId: string, session: string): string {
  return JSON.stringify([userId, session])
}

/** What the caller may come back to: what was made, and calls that wait. */
function settle(result: AnyRunResult, { agent }: Start, { site, user }: Visit): void {
  site.artifacts.add(user.id, result.artifacts)
  const waiting = result.pending?.map(({ callId }) => callId) ?? []
  if (waiting.length > 0) site.parked.park(user.id, waiting, { agent: agent.name, state: result.state })
}

function tell(error: unknown, { site, request }: Visit): void {
  try {
    site.options.onError?.(error, request)
  } catch {
    // Who listens must not fail the answer.
  }
}
