import { ignore } from '../async.js'
import { CapstanError, invalidOption, invalidRequest, isCapstanError, withState } from '../errors.js'
import { isFunction } from '../json.js'
import { checkOptionNames, kindOf } from '../option-names.js'
import type { GivenStart, RunInput } from '../run/feature.js'
import { isState, toConversation } from '../run/input.js'
import type { Middleware } from '../run/middleware.js'
import type { FeatureEvent } from '../types/event.js'
import { callsOf, type Message } from '../types/message.js'
import type { RunState } from '../types/state.js'

/** A stored conversation, which several runs can continue. */
export interface Session extends Origin {
  readonly id: string
  /** The number of stored messages. 0 for a session that does not exist and for a branch without messages. */
  readonly version: number
  /** A copy of the messages; changing it does not change the store. */
  readonly messages: Message[]
}

/** A session without its messages. */
export interface SessionInfo extends Origin {
  readonly id: string
  readonly version: number
  /** When the last messages were appended, or the branch was created, in milliseconds since 1970. */
  readonly updatedAt: number
}

/** The origin of a branch. Empty for other sessions. */
interface Origin {
  /** The id of the session that the branch was forked from. That session may have been deleted since then. */
  readonly from?: string
  /** The number of messages that the branch has in common with that session. */
  readonly at?: number
}

/** Selects which sessions `list` returns. */
export interface SessionQuery {
  /** Only ids that start with this string. Default: all. */
  readonly prefix?: string
  /** Maximum number of sessions to return, at least 1. Default: all. */
  readonly limit?: number
  /**
   * The last session of the previous page. Default: start with the first page. A page with fewer than `limit` sessions
   * is the last page.
   */
  readonly after?: Pick<SessionInfo, 'id' | 'updatedAt'>
}

/**
 * The methods of a session store. `sessionStore(methods)` turns your own methods into a store.
 *
 * An id is any string of 1 to 200 characters without control characters; every method throws a CapstanError
 * `invalid_request` for any other value. Messages are returned as they are after a JSON round trip. A store that does
 * not support branches omits both `fork` and `branches`.
 */
export interface SessionMethods {
  /** Loads a session. Returns version 0 and no messages if the session does not exist. */
  load(id: string): Promise<Session>
  /**
   * Appends the messages, either all or none, if the session's version is `expectedVersion`. Pass 0 to create the
   * session. Returns the new version.
   * @throws CapstanError `conflict`, with the actual version as evidence, if another writer appended first
   */
  append(id: string, messages: readonly Message[], expectedVersion: number): Promise<number>
  /**
   * Lists all sessions, or those that the query selects, most recently changed first. Sessions that were changed in the
   * same millisecond have a stable order. A session that changes between two requests may be on both pages or on
   * neither.
   * @throws CapstanError `invalid_request` for an invalid query
   */
  list(query?: SessionQuery): Promise<SessionInfo[]>
  /** Deletes a session, but not its branches. The id can be used again. A missing session is not an error. */
  delete(id: string): Promise<void>
  /**
   * Creates the session `newId` from the first `at` messages of the session `id`. Returns the new session's version,
   * which is `at`. Later changes to one of the two sessions, or its deletion, do not affect the other. Of concurrent
   * forks to the same id, exactly one succeeds.
   * @throws CapstanError `conflict` if `newId` exists; `invalid_request` if `id` has fewer than `at` messages
   */
  fork?(id: string, at: number, newId: string): Promise<number>
  /**
   * Returns a session's tree: all sessions that are connected to it by forks, directly or indirectly, including itself,
   * most recently changed first. A deleted session is missing, but its branches stay connected. For a session without
   * branches, returns only that session. Returns `[]` if the tree has no sessions.
   */
  branches?(id: string): Promise<SessionInfo[]>
}

/**
 * Stores conversations. Create one with `memorySessions()`, `unstorageSessions(storage)`, `folderSessions(folder)` from
 * `@capstan/core/node`, the `@capstan/stores` package, or from your own methods with `sessionStore(methods)`.
 */
export interface SessionStore extends SessionMethods {
  /**
   * Runs an agent in a session. This is a method of the store, so that programs without sessions do not load its code.
   */
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
  /**
   * Continues in a new branch of the session. Pass the index of the stored user message that the input replaces, or the
   * session's version to branch after its last message. The session itself stays unchanged. Default: no branch.
   */
  readonly at?: number | undefined
  /** The id of the branch. Default: the session's id, `~` and 8 random letters. */
  readonly as?: string | undefined
}

/**
 * Creates a session store from your own methods: `sessionStore({ load, append, list, delete })`, plus `fork` and
 * `branches` if it supports branches. Test it with `sessionStoreChecks` from `@capstan/testing`.
 * @throws CapstanError `invalid_request` if a method is missing
 */
export function sessionStore(methods: SessionMethods): SessionStore {
  const given: Partial<SessionMethods> = Object(methods)
  const { fork, branches } = given
  const needed = fork || branches ? [...required, ...optional] : required
  const missing = needed.filter((name) => !isFunction(given[name]))
  if (missing.length > 0) {
    const message = `sessionStore has no ${missing.join(', ')}. Add load, append, list and delete, and either both fork and branches or neither.`
    throw invalidRequest(message, { missing })
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
 * Runs with a session's messages in front of the input, and appends the new messages when the run ends for any reason.
 * Pending calls are appended after the state has been resumed and the calls have results. If another writer has
 * appended first, the run fails with `conflict`: nothing is stored, and `error.state` contains the run so far.
 */
async function inSession<Result extends { readonly state: RunState }>(
  given: SessionRef,
  { input }: GivenStart,
  next: (run: GivenStart) => Promise<Result>,
): Promise<Result> {
  const { ref, stored, behind, fork } = await placeOf(given, input)
  const { messages } = stored
  const whole = isState(input)
    ? checked(input, ref, messages)
    : [...messages, ...(typeof input === 'string' ? toConversation(input) : input)]
  await fork?.()
  try {
    const result = await next({ input: whole, known: messages.length, middleware: effectsIn(behind) })
    const version = await keep(result.state, ref, stored)
    return { ...result, session: { id: ref.id, version } }
  } catch (error) {
    const { state, code } = isCapstanError(error) ? error : {}
    // The run has not started.
    if (!state && fork) await ref.store.delete(ref.id).catch(ignore)
    // The messages before a failure are stored. The caller gets the error that made the run fail, not an error from
    // storing.
    if (state && code !== 'conflict') await keep(state, ref, stored).catch(ignore)
    throw error
  }
}

/** The session or branch that a run appends to, and its messages. */
interface Place {
  readonly ref: SessionRef
  /** The messages that the run starts with. */
  readonly stored: Session
  /** The messages that the new branch omits. */
  readonly behind: readonly Message[]
  /** Creates the branch. Absent if the session itself is continued. */
  fork?(): Promise<unknown>
}

/** @throws CapstanError `invalid_request` for a session that is invalid, or cannot be continued at this message */
async function placeOf(given: SessionRef, input: RunInput): Promise<Place> {
  checkOptionNames(given, refKinds, { of: 'session' })
  const { store, id, at, as = `${id}~${randomLetters()}` } = given
  const stored = await store.load(id)
  const { version, messages } = stored
  if (at === undefined) {
    if (given.as === undefined) return { ref: given, stored, behind: [] }
    throw invalidOption('session', 'session.as is the id of a branch. Set session.at too, or omit as.')
  }
  if (!store.fork) {
    const message = 'session.at needs a store with branches, and this one has no fork. Omit at.'
    throw invalidOption('session', message)
  }
  // A state already contains the messages after the cut, so it can only continue after the last one.
  const starts = isState(input) ? [] : messages.flatMap(({ role }, index) => (role === 'user' ? index : []))
  const allowed = [...starts, version]
  if (!allowed.includes(at)) {
    const shown = typeof at === 'number' ? at : kindOf(at)
    const message = `session.at is ${shown}, neither the index of a user message nor the version ${version}. Use one of evidence.allowed.`
    throw invalidRequest(message, { id, at, allowed })
  }
  return {
    ref: { store, id: as },
    stored: { id: as, version: at, messages: messages.slice(0, at) },
    behind: messages.slice(at),
    fork: () => store.fork?.(id, at, as) ?? Promise.resolve(),
  }
}

const refKinds = { store: true, id: true, at: true, as: 'a string' } as const

function randomLetters(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => letters[byte % letters.length]).join(
    '',
  )
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Returns a middleware that reports calls in messages that a branch omits, if they may have had effects. */
function effectsIn(behind: readonly Message[]): Middleware | undefined {
  const done = succeededIn(behind)
  if (done.length === 0) return undefined
  return {
    name: 'sessions',
    beforeRun(run) {
      const toolsets = [run, ...run.agents.values()].map(({ toolset }) => toolset)
      const readsOnly = (name: string) => {
        const tools = toolsets.flatMap((toolset) => toolset.get(name) ?? [])
        return tools.length > 0 && tools.every(({ settings }) => settings.effects === 'read')
      }
      const calls = done.filter(({ name }) => !readsOnly(name))
      if (calls.length > 0) run.emit({ type: 'effects-left-behind', calls })
      return undefined
    },
  }
}

type LeftCalls = Extract<FeatureEvent, { readonly type: 'effects-left-behind' }>['calls']

/** Returns the successful calls in messages. The results of all others start with `Error: `. */
function succeededIn(messages: readonly Message[]): LeftCalls {
  const open = new Map<string, LeftCalls[number]>()
  return messages.flatMap((message) => {
    for (const { id: callId, function: called } of callsOf(message)) {
      const { name, arguments: text } = called
      open.set(callId, { callId, name, arguments: text })
    }
    const isOk = message.role === 'tool' && !message.content.startsWith('Error: ')
    return (isOk && open.get(message.tool_call_id)) || []
  })
}

/**
 * Stores the messages of a run whose process died after the run had ended, but before its messages were appended. Does
 * nothing if the messages are already stored.
 * @throws CapstanError `conflict` if the state does not start with the session's messages
 */
export async function storeEndedRun(state: RunState, ref: SessionRef): Promise<void> {
  const session = await ref.store.load(ref.id)
  await keep(checked(state, ref, session.messages), ref, session)
}

/**
 * Returns the state unchanged.
 * @throws CapstanError `conflict` if the state does not continue the session's current messages
 */
function checked(state: RunState, { id }: SessionRef, messages: readonly Message[]): RunState {
  const version = messages.length
  const known = closed(state.messages ?? []).slice(0, version)
  if (JSON.stringify(known, withoutMark) === JSON.stringify(messages, withoutMark)) return state
  const message = `The state does not start with the messages of session "${id}". Resume the state of its last run.`
  throw withState(new CapstanError('conflict', message, { evidence: { id, version } }), state)
}

async function keep(
  state: RunState,
  { store, id }: SessionRef,
  { messages, version }: Session,
): Promise<number> {
  const more = closed(state.messages).slice(version)
  if (more.length === 0) return version
  const { taintedBy } = state
  // The mark is needed because later runs may have different tools, and the messages alone do not show what this run
  // has read.
  const isMarked = taintedBy === undefined || messages.some((message) => message.taintedBy !== undefined)
  // Marks each message before a user message: a branch may end there, even before a message that was sent to the run.
  const isEnd = (index: number) => (more[index + 1]?.role ?? 'user') === 'user'
  const marked = isMarked ? more : more.map((one, index) => (isEnd(index) ? { ...one, taintedBy } : one))
  try {
    return await store.append(id, marked, version)
  } catch (error) {
    throw withState(error, state)
  }
}

/** A JSON replacer that omits `taintedBy`, which messages have only in sessions. */
function withoutMark(key: string, value: unknown): unknown {
  return key === 'taintedBy' ? undefined : value
}

/** Returns the messages, without the last one if its calls are open. */
function closed(messages: readonly Message[]): readonly Message[] {
  return callsOf(messages.at(-1)).length > 0 ? messages.slice(0, -1) : messages
}
