import { ignore } from '../async.js'
import { CapstanError, isCapstanError, withState } from '../errors.js'
import { isFunction } from '../option-names.js'
import type { GivenStart } from '../run/feature.js'
import { isState, toConversation } from '../run/input.js'
import { callsOf, type Message } from '../types/message.js'
import type { RunState } from '../types/state.js'

/** A stored conversation of several runs. */
export interface Session extends Origin {
  readonly id: string
  /** The number of stored messages; 0 for a session that does not exist, and for a branch without messages. */
  readonly version: number
  /** A copy of the messages; changing it does not change the store. */
  readonly messages: Message[]
}

/** A session without its messages. */
export interface SessionInfo extends Origin {
  readonly id: string
  readonly version: number
  /** The time of the last append, or of the fork of a branch, in milliseconds since 1970. */
  readonly updatedAt: number
}

/** The fields of a branch that say where it was forked. Absent in other sessions. */
interface Origin {
  /** The id of the session that it was forked from. That session may have been deleted since. */
  readonly from?: string
  /** The number of messages that it has in common with that session. */
  readonly at?: number
}

/** A part of the list of sessions. */
export interface SessionQuery {
  /** Only ids that start with this string. Default: all. */
  readonly prefix?: string
  /** The most sessions to return, 1 or more. Default: all. */
  readonly limit?: number
  /** The last session of the previous page. Default: from the start. A page with less than `limit` is the last one. */
  readonly after?: Pick<SessionInfo, 'id' | 'updatedAt'>
}

/**
 * The methods of a store of conversations. `sessionStore(methods)` makes a store of your own of them.
 *
 * An id is any text of 1 to 200 characters without control characters; every method throws a CapstanError
 * `invalid_request` for any other value. Messages are returned as JSON keeps them. A store may lack `fork` and
 * `branches`, but not one of them: then its sessions have no branches.
 */
export interface SessionMethods {
  /** Loads a session; version 0 without messages for one that does not exist. */
  load(id: string): Promise<Session>
  /**
   * Appends all messages or none to a session that has `expectedVersion`; 0 starts a session. Returns the new version.
   * @throws CapstanError `conflict`, with the version found, when another writer appended first
   */
  append(id: string, messages: readonly Message[], expectedVersion: number): Promise<number>
  /**
   * Lists sessions, the most recently changed first; those of one millisecond in an order that stays. All of them, or the
   * part of a query. A session that changes between two pages may be in both or in none.
   * @throws CapstanError `invalid_request` for an invalid query
   */
  list(query?: SessionQuery): Promise<SessionInfo[]>
  /** Removes a session; it can be started again. Its branches stay. A missing session is not an error. */
  delete(id: string): Promise<void>
  /**
   * Makes the session `newId` from the first `at` messages of another one, and returns its version, which is `at`. Later
   * changes of one of them, and its deletion, do not change the other. Of concurrent forks to one id exactly one succeeds.
   * @throws CapstanError `conflict` when `newId` exists; `invalid_request` when `id` does not have `at` messages
   */
  fork?(id: string, at: number, newId: string): Promise<number>
  /**
   * Returns all sessions that were forked from one another, directly or not, for the id of any of them: the most recently
   * changed first, the session without `from` included. A deleted session is missing, and still connects its branches.
   * A session without branches is alone; `[]` when there are none.
   */
  branches?(id: string): Promise<SessionInfo[]>
}

/**
 * A store of conversations: `memorySessions()`, `unstorageSessions(storage)`, `folderSessions(folder)` of
 * `@capstan/core/node`, those of `@capstan/stores`, and your own by `sessionStore(methods)`.
 */
export interface SessionStore extends SessionMethods {
  /** Runs in a session. The code comes with the store, so that programs without sessions do not load it. */
  wrapRun<Result extends { readonly state: RunState }>(
    session: SessionRef,
    run: GivenStart,
    next: (run: GivenStart) => Promise<Result>,
  ): Promise<Result>
}

/** A conversation that a run continues and appends to. */
export interface SessionRef {
  readonly store: SessionStore
  readonly id: string
}

/**
 * Makes a store of your own: `sessionStore({ load, append, list, delete })`, with `fork` and `branches` for sessions
 * with branches. `sessionStoreChecks` of `@capstan/testing` tests it.
 * @throws CapstanError `invalid_request` when a method is missing
 */
export function sessionStore(methods: SessionMethods): SessionStore {
  const given: Partial<SessionMethods> = Object(methods)
  const { fork, branches } = given
  const needed = fork || branches ? [...required, ...optional] : required
  const missing = needed.filter((name) => !isFunction(given[name]))
  if (missing.length > 0) {
    const message = `sessionStore has no ${missing.join(', ')}. Give it load, append, list and delete; fork and branches together, or neither.`
    throw new CapstanError('invalid_request', message, { evidence: { missing } })
  }
  return {
    load: (id) => methods.load(id),
    append: (...added) => methods.append(...added),
    list: (query) => methods.list(query),
    delete: (id) => methods.delete(id),
    ...(fork && { fork: (...place) => fork.apply(methods, place) }),
    ...(branches && { branches: (id) => branches.call(methods, id) }),
    wrapRun: inSession,
  }
}

const required = ['load', 'append', 'list', 'delete'] as const
const optional = ['fork', 'branches'] as const

/**
 * Runs with a session's messages in front, and appends the new messages when the run ends for any reason. Pending calls
 * are appended once they have results, when the state is resumed. When another writer appended first, the run ends as
 * `conflict`: nothing was stored, `error.state` has everything.
 */
async function inSession<Result extends { readonly state: RunState }>(
  session: SessionRef,
  { input }: GivenStart,
  next: (run: GivenStart) => Promise<Result>,
): Promise<Result> {
  const stored = await session.store.load(session.id)
  const { messages } = stored
  const whole = isState(input)
    ? checked(input, session, messages)
    : [...messages, ...(typeof input === 'string' ? toConversation(input) : input)]
  try {
    const result = await next({ input: whole, known: messages.length })
    await keep(result.state, session, stored)
    return result
  } catch (error) {
    // Messages before a failure are stored; the caller gets the error of the failure.
    if (isCapstanError(error) && error.state && error.code !== 'conflict')
      await keep(error.state, session, stored).catch(ignore)
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
