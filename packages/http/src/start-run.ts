import type { AnyAgent, AnyRunResult, Decisions, RunEvent, RunInput, RunOptions } from '@capstan/core'
import { joinSignals } from '@capstan/core/wire'
import { keepEnded, keepFailed } from './come-back.js'
import { HttpError, toHttpError } from './http-error.js'
import { LiveRun } from './live-run.js'
import { ownedKey } from './owned-key.js'
import type { ParkedRun } from './parked-runs.js'
import type { Visit } from './site.js'
import { tellHouse } from './tell-house.js'

/** What is run. */
export interface Start {
  readonly agent: AnyAgent
  readonly input: RunInput
  /** The name of a conversation that is kept. */
  readonly session?: string | undefined
  readonly decisions?: Decisions | undefined
  /** The run that waited, where it is one that is gone on with. */
  readonly parked?: ParkedRun
  /** Calls that were answered before, of whose outcome the caller has not heard. */
  readonly unheard?: readonly string[] | undefined
  /** What the request says, for the run's context. */
  readonly sent: Readonly<Record<string, unknown>>
  /** The run waits for decisions in place of ending as pending. */
  readonly wait?: boolean
  /** Nobody can be asked: calls that need a yes are denied. */
  readonly unattended?: boolean
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
      take(start, visit)
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
        (result) => keepEnded(result, start, visit),
        (error) => {
          keepFailed(error, start, visit)
          tellHouse(error, visit.request, site.options)
        },
      )
      .finally(over)
    return run
  } catch (error) {
    over()
    keepFailed(error, start, visit)
    throw error
  }
}

/** Runs to the end without reading the model's words as they come; it is stopped when its caller hangs up. */
export async function runWhole(start: Start, visit: Visit): Promise<AnyRunResult> {
  const { site, request } = visit
  const { options, over, hasBegun } = prepare(start, visit, crypto.randomUUID())
  const hangUp = site.options.onDisconnect === 'abort' ? request.signal : undefined
  try {
    const result = await site.runs.during(async (closing) => {
      take(start, visit)
      const { signal, release } = joinSignals([options.signal, hangUp, closing])
      return start.agent.run(start.input, { ...options, signal }).finally(release)
    })
    keepEnded(result, start, visit)
    return result
  } catch (error) {
    keepFailed(error, start, visit)
    tellHouse(error, request, site.options)
    throw toHttpError(error, hasBegun())
  } finally {
    over()
  }
}

/** Once there is a place for it, so that a run which is told to come again still waits. @throws HttpError 409 */
function take({ parked }: Start, { site, user }: Visit): void {
  if (!parked || site.parked.take(user.id, parked)) return
  throw new HttpError(409, 'not_waiting', 'The run does not wait any more: it is gone on with already.')
}

/** The options of a run, and what is to be called when it is over. */
function prepare(
  { input, session, decisions, tools, toolChoice, unattended, sent }: Start,
  { request, user, site }: Visit,
  runId: string,
) {
  const { sessions, context: contextOf, maxSeconds } = site.options
  checkInput(input)
  if (session !== undefined && !sessions)
    throw new HttpError(400, 'invalid_request', 'Conversations are not kept here: leave `session` out.')
  const context = contextOf?.(request, user, sent) as never
  let hasBegun = false
  const observe = (event: RunEvent) => {
    hasBegun = true
    // Not what stands in a result: that may name what is somebody else's.
    if (event.type === 'artifact-stored') site.artifacts.add(user.id, [event.artifact])
  }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('the time of the run is over')), maxSeconds * 1000)
  const options = {
    runId,
    signal: late.signal,
    context,
    observe,
    ...(unattended ? { unattended } : {}),
    ...(session !== undefined && sessions
      ? { session: { store: sessions, id: ownedKey(user.id, session) } }
      : {}),
    // A caller may come back with other tools of its own.
    ...(decisions ? { decisions, allowChangedTools: true } : {}),
    ...(tools ? { tools } : {}),
    ...(toolChoice ? { toolChoice } : {}),
  }
  return { options, over: () => clearTimeout(timer), hasBegun: () => hasBegun }
}

/** Calls that the model did not make are nobody's to run. @throws HttpError 400 for a conversation that ends in some */
function checkInput(input: RunInput): void {
  const last = Array.isArray(input)
    ? (input.at(-1) as { tool_calls?: unknown } | null | undefined)
    : undefined
  const calls = last?.tool_calls
  if (calls === undefined || calls === null || (Array.isArray(calls) && calls.length === 0)) return
  const message =
    'A conversation must not end in calls: it ends in what the user says, or in results of all calls.'
  throw new HttpError(400, 'invalid_request', message)
}
