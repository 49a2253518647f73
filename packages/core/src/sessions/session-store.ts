import { ignore } from '../async.js'
import { CapstanError, invalidOption, isCapstanError, withState } from '../errors.js'
import { checkOptionNames, isFunction, kindOf } from '../option-names.js'
import type { GivenStart, RunInput } from '../run/feature.js'
import { isState, toConversation } from '../run/input.js'
import type { Middleware } from '../run/middleware.js'
import type { FeatureEvent } from '../types/event.js'
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

/** The origin of a branch. Empty for other sessions. */
interface Origin {
  /** The id of the session that it was forked from. That session may have been deleted since. */
  readonly from?: string
  /** The number of messages that it has in common with that session. */
  readonly at?: number
}

/** Selects a part of the list of sessions. */
export interface SessionQuery {
  /** Only ids that start with this string. Default: all. */
  readonly prefix?: string
  /** Maximum sessions to return, 1 or more. Default: all. */
  readonly limit?: number
  /**
   * The last session of the previous page. Default: from the start. A page with fewer sessions than `limit` is the last
   * one.
   */
  readonly after?: Pick<SessionInfo, 'id' | 'updatedAt'>
}

/**
 * The methods of a session store. `sessionStore(methods)` turns your own methods into a store.
 *
 * An id is any string of 1 to 200 characters without control characters; every method throws a CapstanError
 * `invalid_request` for any other value. Messages are returned as JSON keeps them. A store may omit both `fork` and
 * `branches`; its sessions then have no branches.
 */
export interface SessionMethods {
  /** Loads a session. If it does not exist, returns version 0 without messages. */
  load(id: string): Promise<Session>
  /**
   * Appends all messages or none to a session that has `expectedVersion`; 0 starts a session. Returns the new version.
   * @throws CapstanError `conflict`, with the version found, when another writer appended first
   */
  append(id: string, messages: readonly Message[], expectedVersion: number): Promise<number>
  /**
   * Lists sessions, the most recently changed first; sessions of the same millisecond have a stable order. Returns all
   * sessions, or those that the query selects. A session that changes between two pages may be on both or on neither.
   * @throws CapstanError `invalid_request` for an invalid query
   */
  list(query?: SessionQuery): Promise<SessionInfo[]>
  /** Deletes a session. Its id can be used again, and its branches stay. A missing session is not an error. */
  delete(id: string): Promise<void>
  /**
   * Creates the session `newId` from the first `at` messages of another, and returns its version, which is `at`. If one
   * of them is changed or deleted later, the other stays the same. Of concurrent forks to the same id, exactly one
   * succeeds.
   * @throws CapstanError `conflict` if `newId` exists; `invalid_request` when `id` does not have `at` messages
   */
  fork?(id: string, at: number, newId: string): Promise<number>
  /**
   * Returns a session's tree: all sessions that are connected with it by forks, directly or not, including the original
   * session. Most recently changed first. A deleted session is missing, but still connects its branches. A session
   * without branches is returned alone; `[]` if there are no sessions.
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
  /**
   * Runs in a new branch of the session. Pass the index of the stored user message that the input replaces, or the
   * session's version to continue after its last message. The session stays unchanged. Default: no branch.
   */
  readonly at?: number | undefined
  /** The id of the branch. Default: the session's id, `~` and 8 random letters. */
  readonly as?: string | undefined
}

/**
 * Creates your own store: `sessionStore({ load, append, list, delete })`, with `fork` and `branches` for branches.
 * Test it with `sessionStoreChecks` of `@capstan/testing`.
 * @throws CapstanError `invalid_request` if a method is missing
 */
export function sessionStore(methods: SessionMethods): SessionStore {
  const given: Partial<SessionMethods> = Object(methods)
  const { fork, branches } = given
  const needed = fork || branches ? [...required, ...optional] : required
  const missing = needed.filter((name) => !isFunction(given[name]))
  if (missing.length > 0) {
    const message = `sessionStore has no ${missing.join(', ')}. Add load, append, list and delete; fork and branches together, or neither.`
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
 * Runs with a session's messages before the input, and appends the new messages when the run ends for any reason.
 * Pending calls are appended once they have results, when the state is resumed. If another writer appended first, the
 * run fails with `conflict`: nothing is stored, and `error.state` has everything.
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
    // Messages before a failure are stored; the caller gets the error of the failure.
    if (state && code !== 'conflict') await keep(state, ref, stored).catch(ignore)
    throw error
  }
}

/** The session that a run appends to. */
interface Place {
  readonly ref: SessionRef
  /** The messages that the run starts with. */
  readonly stored: Session
  /** The messages that its branch omits. */
  readonly behind: readonly Message[]
  /** Creates the branch. Absent if the session itself is continued. */
  fork?(): Promise<unknown>
}

/** @throws CapstanError `invalid_request` for a session or a place in it that cannot be continued */
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
  // A state has the messages behind the cut.
  const starts = isState(input) ? [] : messages.flatMap(({ role }, index) => (role === 'user' ? index : []))
  const allowed = [...starts, version]
  if (!allowed.includes(at)) {
    const shown = typeof at === 'number' ? at : kindOf(at)
    const message = `session.at is ${shown}, not the index of a user message or the version ${version}. Use one of evidence.allowed.`
    throw new CapstanError('invalid_request', message, { evidence: { id, at, allowed } })
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

/** Returns a middleware that reports calls after the cut that may have had effects. */
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

/** Returns the successful calls: the result of any other call starts like an error. */
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
 * Stores the messages of a run whose process died between its end and the append. Does nothing if they are already
 * stored.
 * @throws CapstanError `conflict` if the session has messages that the state does not start with
 */
export async function storeEndedRun(state: RunState, ref: SessionRef): Promise<void> {
  const session = await ref.store.load(ref.id)
  await keep(checked(state, ref, session.messages), ref, session)
}

/** Checks that a state continues the session's current messages. */
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
  // Later runs may have other tools: the messages alone do not tell what this run has read.
  const isMarked = taintedBy === undefined || messages.some((message) => message.taintedBy !== undefined)
  // A branch may end before each user message, and a message may have been sent into the run.
  const isEnd = (index: number) => (more[index + 1]?.role ?? 'user') === 'user'
  const marked = isMarked ? more : more.map((one, index) => (isEnd(index) ? { ...one, taintedBy } : one))
  try {
    return await store.append(id, marked, version)
  } catch (error) {
    throw withState(error, state)
  }
}

/** Removes session marks, which states do not contain. */
function withoutMark(key: string, value: unknown): unknown {
  return key === 'taintedBy' ? undefined : value
}

/** Returns the messages before the open calls. */
function closed(messages: readonly Message[]): readonly Message[] {
  return callsOf(messages.at(-1)).length > 0 ? messages.slice(0, -1) : messages
}
