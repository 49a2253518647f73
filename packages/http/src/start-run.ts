import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decisions,
  isCapstanError,
  type PendingCall,
  type RunEvent,
  type RunInput,
  type RunOptions,
  type RunState,
  type SessionStore,
} from '@capstan/core'
import { joinSignals } from '@capstan/core/internal'
import { LiveRun } from './active-runs.js'
import type { Visit } from './context.js'
import { HttpError, invalidRequest, tellHouse, toHttpError } from './http-error.js'
import { ownedKey } from './owned-cache.js'
import { askedBy, type ParkedRun } from './pending-runs.js'

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
  readonly taintedBy?: RunOptions['taintedBy']
}

/** Starts a run whose events are read as they come, once its first is there. @throws HttpError 429 when too many go on */
export async function startRun(start: Start, visit: Visit): Promise<LiveRun> {
  const { site, user } = visit
  const id = crypto.randomUUID()
  const run = await site.runs.start(user.id, async () => {
    const { options, over } = await prepare(start, visit, id)
    try {
      const begun = start.agent.stream(start.input, { ...options, wait: start.wait ?? false, detach: true })
      const outlivesReaders = site.options.onDisconnect === 'finish'
      const run = new LiveRun(begun, { id, owner: user.id, maxEvents: 20_000, outlivesReaders })
      // Who still reads the run must find what it names.
      run.forgotten.finally(site.artifacts.use(start, user)).catch(() => {})
      keepOutcome(() => run.result, start, visit)
        .finally(over)
        .catch(() => {})
      return run
    } catch (error) {
      over()
      keepFailed(error, start, visit)
      throw error
    }
  })
  await run.begun
  return run
}

/** Runs to the end without reading the model's words as they come; it is stopped when its caller hangs up. */
export async function runWhole(start: Start, visit: Visit): Promise<AnyRunResult> {
  const { site, user, request } = visit
  const hangUp = site.options.onDisconnect === 'abort' ? request.signal : undefined
  return site.runs.during(user.id, async (closing) => {
    const { options, over, hasBegun } = await prepare(start, visit, crypto.randomUUID())
    const { signal, release } = joinSignals([options.signal, hangUp, closing])
    try {
      return await keepOutcome(() => start.agent.run(start.input, { ...options, signal }), start, visit)
    } catch (error) {
      throw toHttpError(error, hasBegun())
    } finally {
      release()
      over()
    }
  })
}

/** Waits for a run, keeps what its caller may come back to, and tells the application of a failure. */
async function keepOutcome(
  run: () => Promise<AnyRunResult>,
  start: Start,
  visit: Visit,
): Promise<AnyRunResult> {
  try {
    const result = await run()
    keepEnded(result, start, visit)
    return result
  } catch (error) {
    keepFailed(error, start, visit)
    tellHouse(error, visit.request, visit.site.options)
    throw error
  }
}

/** Once there is a place for it, so that a run which is told to come again still waits. @throws HttpError 409 */
function take({ parked }: Start, { site, user }: Visit): void {
  if (!parked || site.parked.take(user.id, parked)) return
  throw new HttpError(409, 'not_waiting', 'The run does not wait any more: it is gone on with already.')
}

/** The options of a run, and what is to be called when it is over. The run that waited is taken last. */
async function prepare(start: Start, visit: Visit, runId: string) {
  const { agent, input, session, decisions, tools, toolChoice, taintedBy, unattended, sent } = start
  const { request, user, site } = visit
  const { sessions, context: contextOf, maxSeconds } = site.options
  checkInput(input)
  if (session !== undefined && !sessions)
    throw invalidRequest('Conversations are not kept here: leave `session` out.')
  const context =
    contextOf && (await inTime('context', maxSeconds, async () => contextOf(request, user, sent)))
  const artifacts = site.artifacts.of(agent, user)
  take(start, visit)
  let hasBegun = false
  const observe = (event: RunEvent) => {
    hasBegun = true
    // Not what stands in a result: that may name what is somebody else's.
    if (event.type === 'artifact-stored') site.readable.add(user.id, [event.artifact])
  }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('the time of the run is over')), maxSeconds * 1000)
  const options = {
    runId,
    signal: late.signal,
    context: context as never,
    observe,
    artifacts,
    ...(unattended ? { unattended } : {}),
    ...(session !== undefined && sessions
      ? { session: { store: inTimeStore(sessions, maxSeconds), id: ownedKey(user.id, session) } }
      : {}),
    // A caller may come back with other tools of its own.
    ...(decisions ? { decisions, allowChangedTools: true } : {}),
    ...(tools ? { tools } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
  const leave = site.artifacts.use(start, user)
  const over = () => {
    clearTimeout(timer)
    leave()
  }
  return { options, over, hasBegun: () => hasBegun }
}

/** The same store, each of whose promises settles: a run that waits for one in vain would keep its place for ever. */
function inTimeStore(store: SessionStore, seconds: number): SessionStore {
  return {
    load: (id) => inTime('sessions', seconds, async () => store.load(id)),
    append: (...given) => inTime('sessions', seconds, async () => store.append(...given)),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
}

/** The outcome of what an option of the handler does. @throws CapstanError `timeout` when it does not settle */
async function inTime<T>(option: string, seconds: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const message = `The option ${option} of agentHandler did not settle within ${seconds} s. Settle each promise that it returns.`
    const evidence = { option, seconds }
    timer = setTimeout(() => reject(new CapstanError('timeout', message, { evidence })), seconds * 1000)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
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
  throw invalidRequest(message)
}

/** A run, and where it goes on with one, what it was told. */
interface Answered {
  readonly agent: { readonly name: string }
  readonly parked?: ParkedRun
  readonly decisions?: Decisions | undefined
}

type Owned = Pick<Visit, 'site' | 'user'>

/** Keeps what the caller may come back to: calls that wait, and what was stopped behind its answers. */
function keepEnded(
  { pending = [], state, stopReason }: AnyRunResult,
  start: Answered,
  { site, user }: Owned,
): void {
  if (pending.length > 0)
    site.parked.park(user.id, { agent: start.agent.name, state, earlier: leftFrom(pending, start) })
  if (stopReason === 'aborted') keepBehind(state, start, { site, user })
}

/** Keeps what failed behind the caller's answers, or before these had any effect. */
function keepFailed(error: unknown, start: Answered, { site, user }: Owned): void {
  if (!isCapstanError(error)) return
  if (error.state) keepBehind(error.state, start, { site, user })
  else if (start.parked) site.parked.park(user.id, start.parked)
}

/** A caller that heard of no end says the same again: then what was done is not done once more. */
function keepBehind(state: RunState, { agent, parked, decisions }: Answered, { site, user }: Owned): void {
  if (!parked || !decisions) return
  const told = parked.told ?? { asked: parked.state, decisions }
  const earlier = knownBy(askedBy(parked).pending, parked)
  site.parked.park(user.id, { agent: agent.name, state, told, earlier })
}

type Earlier = NonNullable<ParkedRun['earlier']>

/** Calls that were left unanswered are still known by the run that asked first. */
function leftFrom(pending: readonly PendingCall[], { parked, decisions = {} }: Answered): Earlier {
  if (!parked) return new Map()
  const now = new Set(pending.map(({ callId }) => callId))
  const isLeft = ({ callId }: PendingCall) => now.has(callId) && !Object.hasOwn(decisions, callId)
  return knownBy(parked.state.pending.filter(isLeft), parked)
}

function knownBy(calls: readonly PendingCall[], { state, earlier }: ParkedRun): Earlier {
  return new Map(calls.map(({ callId }) => [callId, [...(earlier?.get(callId) ?? []), state.runId]]))
}
