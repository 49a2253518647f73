import {
  type AnyAgent,
  CapstanError,
  type Decisions,
  isCapstanError,
  type PendingCall,
  type RunEvent,
  type RunInput,
  type RunOptions,
  type RunResult,
  type RunState,
  type SessionStore,
} from '@capstan/core'
import { joinSignals } from '@capstan/core/internal'
import { ActiveRun } from './active-runs.js'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest, reportError, toHttpError } from './http-error.js'
import { ownedKey } from './owned-cache.js'
import { askingState, type PendingRun } from './pending-runs.js'

/** The options for starting or resuming a run. */
export interface StartOptions {
  readonly agent: AnyAgent
  readonly input: RunInput
  /** Name of the stored conversation. */
  readonly session?: string | undefined
  readonly decisions?: Decisions | undefined
  /** The pending run to resume. */
  readonly pendingRun?: PendingRun
  /** Ids of calls that were decided before, whose results the client has not received. */
  readonly unreported?: readonly string[] | undefined
  /** The request's JSON, for the run's context. */
  readonly sent: Readonly<Record<string, unknown>>
  /** Whether the run waits for decisions instead of ending as pending. */
  readonly wait?: boolean
  /** Whether calls that need approval are denied, because the client cannot be asked. */
  readonly unattended?: boolean
  readonly tools?: RunOptions['tools']
  readonly toolChoice?: RunOptions['toolChoice']
  readonly taintedBy?: RunOptions['taintedBy']
}

/**
 * Starts a run and resolves with its first event.
 * @throws HttpError 429 when too many runs are active
 */
export async function startRun(start: StartOptions, ctx: RequestContext): Promise<ActiveRun> {
  const { handler, user } = ctx
  const id = crypto.randomUUID()
  const run = await handler.runs.start(user.id, async () => {
    const { options, release } = await prepare(start, ctx, id)
    try {
      const own = { wait: start.wait ?? false, detach: true, keepEvents: 20_000 }
      const running = start.agent.stream(start.input, { ...options, ...own })
      const outlivesSubscribers = handler.options.onDisconnect === 'finish'
      const run = new ActiveRun(running, { id, owner: user.id, outlivesSubscribers })
      // A client that still reads the run must find the artifacts that it names.
      run.evicted.finally(handler.artifacts.keepFor(start, user)).catch(() => {})
      keepOutcome(() => run.result, start, ctx)
        .finally(release)
        .catch(() => {})
      return run
    } catch (error) {
      release()
      addFailed(error, start, ctx)
      throw error
    }
  })
  await run.started
  return run
}

/**
 * Runs to the end without streaming. Aborts when the client disconnects, unless `onDisconnect` is `finish`.
 */
export async function runToEnd(start: StartOptions, ctx: RequestContext): Promise<RunResult> {
  const { handler, user, request } = ctx
  const hangUp = handler.options.onDisconnect === 'abort' ? request.signal : undefined
  return handler.runs.track(user.id, async (closing) => {
    const { options, release, hasBegun } = await prepare(start, ctx, crypto.randomUUID())
    const { signal, release: releaseSignals } = joinSignals([options.signal, hangUp, closing])
    try {
      return await keepOutcome(() => start.agent.run(start.input, { ...options, signal }), start, ctx)
    } catch (error) {
      throw toHttpError(error, hasBegun())
    } finally {
      releaseSignals()
      release()
    }
  })
}

/** Waits for a run, stores what its client may resume, and reports a failure to the application. */
async function keepOutcome(
  run: () => Promise<RunResult>,
  start: StartOptions,
  ctx: RequestContext,
): Promise<RunResult> {
  try {
    const result = await run()
    addPending(result, start, ctx)
    // A client may send its replies back without what tainted them.
    if (start.session === undefined)
      ctx.handler.replies.addTainted(ctx.user.id, result.state, messagesOf(start).length)
    return result
  } catch (error) {
    addFailed(error, start, ctx)
    reportError(error, ctx.request, ctx.handler.options)
    throw error
  }
}

/**
 * Claims the pending run. Called after the limits were checked, so that a run rejected with 429 stays
 * pending.
 * @throws HttpError 409
 */
function claim({ pendingRun }: StartOptions, { handler, user }: RequestContext): void {
  if (!pendingRun || handler.pendingRuns.claim(user.id, pendingRun)) return
  throw new HttpError(409, 'not_waiting', 'The run is no longer pending: it was already resumed.')
}

/** Returns the options of a run, and a function to call when it ends. Claims the pending run last. */
async function prepare(start: StartOptions, ctx: RequestContext, runId: string) {
  const { agent, input, session, decisions, tools, toolChoice, taintedBy, unattended, sent } = start
  const { request, user, handler } = ctx
  const { sessions, context: contextOf, maxSeconds } = handler.options
  checkInput(input)
  if (session !== undefined && !sessions)
    throw invalidRequest('`session` is set, but this server stores no conversations. Leave it out.')
  const context =
    contextOf && (await withDeadline('context', maxSeconds, async () => contextOf(request, user, sent)))
  const artifacts = handler.artifacts.storeOf(agent, user)
  claim(start, ctx)
  let hasBegun = false
  const observe = (event: RunEvent) => {
    hasBegun = true
    // Only what the run stores: a result may name artifacts of other users.
    if (event.type === 'artifact-stored') handler.readableArtifacts.add(user.id, [event.artifact])
  }
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error('the run exceeded maxSeconds')), maxSeconds * 1000)
  const options = {
    runId,
    signal: timeout.signal,
    context: context as never,
    observe,
    artifacts,
    ...(unattended ? { unattended } : {}),
    ...(session !== undefined && sessions
      ? { session: { store: withDeadlines(sessions, maxSeconds), id: ownedKey(user.id, session) } }
      : {}),
    // A client may resume with different tools of its own.
    ...(decisions ? { decisions, allowChangedTools: true } : {}),
    ...(tools ? { tools } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
  const stopUsing = handler.artifacts.keepFor(start, user)
  const release = () => {
    clearTimeout(timer)
    stopUsing()
  }
  return { options, release, hasBegun: () => hasBegun }
}

/** Returns the store with a deadline on each call: a call that never settles would block the run's slot. */
function withDeadlines(store: SessionStore, seconds: number): SessionStore {
  return {
    load: (id) => withDeadline('sessions', seconds, async () => store.load(id)),
    append: (...given) => withDeadline('sessions', seconds, async () => store.append(...given)),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
}

/**
 * Runs a callback of the handler's options with a deadline.
 * @throws CapstanError `timeout` if it does not settle in time
 */
async function withDeadline<T>(option: string, seconds: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const message = `${option} of agentHandler did not settle within ${seconds} s. Make each promise that it returns settle.`
    const evidence = { option, seconds }
    timer = setTimeout(() => reject(new CapstanError('timeout', message, { evidence })), seconds * 1000)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the messages that a run starts with. */
export function messagesOf({ input }: Pick<StartOptions, 'input'>): readonly unknown[] {
  return typeof input === 'string' ? [] : 'messages' in input ? input.messages : input
}

/**
 * Rejects tool calls without results: a client's messages must not run the agent's tools.
 * @throws HttpError 400 for a conversation that ends in tool calls
 */
function checkInput(input: RunInput): void {
  const last = Array.isArray(input)
    ? (input.at(-1) as { tool_calls?: unknown } | null | undefined)
    : undefined
  const calls = last?.tool_calls
  if (calls === undefined || calls === null || (Array.isArray(calls) && calls.length === 0)) return
  const message =
    'The conversation ends in tool calls. End it with a user message or with the results of all calls.'
  throw invalidRequest(message)
}

/** The pending run and the decisions that a run resumed with, if any. */
interface ResumeSource {
  readonly agent: { readonly name: string }
  readonly pendingRun?: PendingRun
  readonly decisions?: Decisions | undefined
}

type Owner = Pick<RequestContext, 'handler' | 'user'>

/** Stores a pending run, or an aborted one that was resumed. */
function addPending(
  { pending = [], state, stopReason }: RunResult,
  start: ResumeSource,
  { handler, user }: Owner,
): void {
  if (pending.length > 0)
    handler.pendingRuns.add(user.id, {
      agent: start.agent.name,
      state,
      earlier: undecidedBefore(pending, start),
    })
  if (stopReason === 'aborted') addResumed(state, start, { handler, user })
}

/**
 * Stores a resumed run that failed, or the pending run itself if the failure came before it had any effect.
 */
function addFailed(error: unknown, start: ResumeSource, { handler, user }: Owner): void {
  if (!isCapstanError(error)) return
  if (error.state) addResumed(error.state, start, { handler, user })
  else if (start.pendingRun) handler.pendingRuns.add(user.id, start.pendingRun)
}

/**
 * Stores a resumed run that did not finish. A client that repeats the same decisions then does not repeat
 * finished calls.
 */
function addResumed(
  state: RunState,
  { agent, pendingRun, decisions }: ResumeSource,
  { handler, user }: Owner,
): void {
  if (!pendingRun || !decisions) return
  const lastResume = pendingRun.lastResume ?? { state: pendingRun.state, decisions }
  const earlier = waitedIn(askingState(pendingRun).pending, pendingRun)
  handler.pendingRuns.add(user.id, { agent: agent.name, state, lastResume, earlier })
}

type Earlier = NonNullable<PendingRun['earlier']>

/**
 * Returns the runs in which undecided calls were already pending, so that their older approval ids stay
 * valid.
 */
function undecidedBefore(
  pending: readonly PendingCall[],
  { pendingRun, decisions = {} }: ResumeSource,
): Earlier {
  if (!pendingRun) return new Map()
  const now = new Set(pending.map(({ callId }) => callId))
  const isLeft = ({ callId }: PendingCall) => now.has(callId) && !Object.hasOwn(decisions, callId)
  return waitedIn(pendingRun.state.pending.filter(isLeft), pendingRun)
}

function waitedIn(calls: readonly PendingCall[], { state, earlier }: PendingRun): Earlier {
  return new Map(calls.map(({ callId }) => [callId, [...(earlier?.get(callId) ?? []), state.runId]]))
}
