import { ignore } from '../async.js'
import { CapstanError, invalidOption, isCapstanError, withState } from '../errors.js'
import type { Feature, GivenStart } from '../run/feature.js'
import { isState, toConversation } from '../run/input.js'
import type { Session, SessionRef } from '../sessions/session.js'
import { callsOf, type Message } from '../types/message.js'
import type { RunState } from '../types/state.js'

/**
 * The run option `session`: runs with a session's messages in front, and appends the new messages when the run ends for
 * any reason. Pending calls are appended once they have results, when the state is resumed. When another writer appended
 * first, the run ends as `conflict`: nothing was stored, `error.state` has everything.
 */
export function sessions(): Feature {
  return {
    name: 'sessions',
    runOptions: { session: true },
    forAgent: () => undefined,
    wrapRun(run, next) {
      const { session } = run.options as { readonly session?: SessionRef }
      return session ? inSession(session, run, next) : next(run)
    },
  }
}

async function inSession(
  ref: SessionRef,
  { input, options }: GivenStart,
  next: (run: GivenStart) => Promise<RunState>,
): Promise<RunState> {
  if (typeof ref.store?.load !== 'function')
    throw invalidOption('session', 'session has no store. Use { store: memorySessions(), id }.')
  const session = await ref.store.load(ref.id)
  const { messages } = session
  const whole = isState(input)
    ? checked(input, ref, messages)
    : [...messages, ...(typeof input === 'string' ? toConversation(input) : input)]
  try {
    const state = await next({ input: whole, options, known: messages.length })
    await keep(state, ref, session)
    return state
  } catch (error) {
    // Messages before a failure are stored; the caller gets the error of the failure.
    if (isCapstanError(error) && error.state && error.code !== 'conflict')
      await keep(error.state, ref, session).catch(ignore)
    throw error
  }
}

/**
 * Stores the messages of a run whose process died between its end and the append. Nothing changes if they are stored.
 * @throws CapstanError `conflict` when the session has messages that the state does not begin with
 */
export async function storeEndedRun(state: RunState, ref: SessionRef): Promise<void> {
  const session = await ref.store.load(ref.id)
  await keep(checked(state, ref, session.messages), ref, session)
}

/** Checks that a state continues the session as it is now. */
function checked(state: RunState, { id }: SessionRef, messages: readonly Message[]): RunState {
  const version = messages.length
  const known = closed(state.messages ?? []).slice(0, version)
  if (JSON.stringify(known, withoutMark) === JSON.stringify(messages, withoutMark)) return state
  const message = `The state does not begin with the messages of session "${id}". Resume the state of its last run.`
  throw withState(new CapstanError('conflict', message, { evidence: { id, version } }), state)
}

async function keep(
  state: RunState,
  { store, id }: SessionRef,
  { messages, version }: Session,
): Promise<void> {
  const more = closed(state.messages).slice(version)
  const last = more.at(-1)
  if (!last) return
  const { taintedBy } = state
  // Later runs may have other tools: the messages alone do not tell what this run has read.
  const isMarked = taintedBy === undefined || messages.some((message) => message.taintedBy !== undefined)
  const marked = isMarked ? more : [...more.slice(0, -1), { ...last, taintedBy }]
  try {
    await store.append(id, marked, version)
  } catch (error) {
    throw withState(error, state)
  }
}

/** States do not have the marks of their session. */
function withoutMark(key: string, value: unknown): unknown {
  return key === 'taintedBy' ? undefined : value
}

/** Returns the messages before the open calls. */
function closed(messages: readonly Message[]): readonly Message[] {
  return callsOf(messages.at(-1)).length > 0 ? messages.slice(0, -1) : messages
}
