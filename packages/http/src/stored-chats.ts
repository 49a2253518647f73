import type { CallResult, Message, PendingCall, SessionInfo, SessionStore } from '@capstan/core'
import { callsOf, tryJson } from '@capstan/core/internal'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest, toHttpError } from './http-error.js'
import { ownedKey } from './owned-cache.js'
import { toApprovalId } from './runs/decisions.js'
import { type PendingUiCall, toTurns } from './ui/to-ui-messages.js'

/** The run operations that stored conversations use. */
export interface ChatRuns {
  /** Returns the newest run in a user's chat, if that run is in progress or pending. */
  activeRunOf(owner: string, chat: string): Promise<ActiveChatRun | undefined>
  /** Aborts a chat's active runs and removes its pending ones. */
  endRunsOf(owner: string, chat: string): Promise<void>
}

/** A run that has not ended. Its messages are not in its session yet. */
export interface ActiveChatRun {
  readonly runId: string
  /** The messages in the run's state, including its input, with the marks that the session will store with them. */
  readonly messages: readonly Message[]
  /** Results of the open calls, by call index, from `results` in the run's state. */
  readonly results?: Readonly<Record<number, CallResult>>
  /** The pending calls. Empty while the run is in progress. */
  readonly pending: readonly PendingCall[]
  /** The id of the session that the run continues. Default: the chat's id. */
  readonly session?: string
}

/** The operations for conversations that have no runs. All data of such conversations is in the sessions. */
export const noRuns: ChatRuns = {
  activeRunOf: async () => undefined,
  endRunsOf: async () => {},
}

interface ChatBranch {
  readonly id: string
  /** The branch that this branch was forked from. `at` is the number of messages that the two share. */
  readonly from?: string
  readonly at?: number
  /** Time of the last change, in milliseconds since 1970. */
  readonly updatedAt?: number
}

/** A conversation as its user sees it. */
export interface StoredChat {
  readonly id: string
  readonly messages: readonly Message[]
  readonly pending: readonly PendingUiCall[]
  /** The id of the run in progress, whose reply can be streamed. */
  readonly runId?: string
  /** The id of the branch that is shown. */
  readonly branch: string
  readonly branches: readonly ChatBranch[]
}

/**
 * Loads a user's chat, with its unfinished run. An unknown chat has no messages. The query `branch` selects a branch;
 * the default is the unfinished run's branch or, if no run is unfinished, the newest one.
 * @throws HttpError 404 if the server stores no conversations, or for an unknown branch
 */
export async function loadChat(id: string, ctx: RequestContext, runs: ChatRuns): Promise<StoredChat> {
  const { user, request } = ctx
  const store = storeOf(ctx)
  const named = new URL(request.url).searchParams.get('branch') ?? undefined
  const [known, run] = await Promise.all([
    onStore(() => branchesOf(ownedKey(user.id, id), store)),
    runs.activeRunOf(user.id, id),
  ])
  const branches = known.map(({ id: key, from, at, updatedAt }) => ({
    id: nameOf(key),
    ...(from === undefined ? {} : { from: nameOf(from), at: at ?? 0 }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }))
  const own = run && { ...run, branch: run.session === undefined ? id : nameOf(run.session) }
  const branch = named ?? own?.branch ?? newestOf(branches)?.id ?? id
  const key = known.find((one) => nameOf(one.id) === branch)?.id
  const isShown = own?.branch === branch
  if (named !== undefined && named !== id && key === undefined && !isShown)
    throw new HttpError(404, 'not_found', `This chat has no branch ${JSON.stringify(named.slice(0, 200))}.`)
  const shown = isShown ? shownOf(own) : { messages: [], pending: [] }
  if (isShown || key === undefined) return { id, branch, branches, ...shown }
  const { messages } = await onStore(() => store.load(key))
  return { id, branch, branches, messages, pending: [] }
}

/** Returns a run's conversation up to its last user message or, if calls are pending, up to those calls. */
function shownOf(run: ActiveChatRun): Pick<StoredChat, 'messages' | 'pending' | 'runId'> {
  const { runId, messages, results = {} } = run
  if (run.pending.length === 0) {
    const last = toTurns(messages).at(-1)
    const end = last?.role === 'assistant' ? last.start : messages.length
    return { runId, messages: messages.slice(0, end), pending: [] }
  }
  const ended = callsOf(messages.at(-1)).flatMap(({ id }, index) => {
    const { content, status } = results[index] ?? {}
    return content === undefined ? [] : [{ role: 'tool' as const, tool_call_id: id, content, status }]
  })
  const pending = run.pending.map((call) => ({ ...call, approvalId: toApprovalId(runId, call.callId) }))
  return { messages: [...messages, ...ended], pending }
}

/** One page of a user's chats, the most recently changed first. */
export interface ChatPage {
  readonly chats: readonly { readonly id: string; readonly updatedAt: number }[]
  /** The cursor for the next page. Absent on the last page. */
  readonly after?: string
}

/**
 * Lists a user's chats. A chat with several branches is listed once.
 * @throws HttpError 400 for an invalid query; 404 if the server stores no conversations
 */
export async function listChats(ctx: RequestContext): Promise<ChatPage> {
  const { user, request } = ctx
  const store = storeOf(ctx)
  const { searchParams } = new URL(request.url)
  const limit = readLimit(searchParams.get('limit'))
  const after = readCursor(searchParams.get('after'))
  const listed = await onStore(() => pageOf(store, { prefix: prefixOf(user.id), limit, after }))
  const chats = []
  for (const { id, updatedAt } of listed.slice(0, limit)) {
    const chat = await onStore(() => chatOf(id, user.id, store))
    if (chat !== undefined) chats.push({ id: chat, updatedAt })
  }
  const last = listed.length > limit ? listed[limit - 1] : undefined
  return { chats, ...(last ? { after: toCursor(last) } : {}) }
}

function readLimit(given: string | null): number {
  const limit = given === null ? 50 : /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= 100) return limit
  throw invalidRequest('`limit` must be a whole number from 1 to 100.')
}

/**
 * Removes a user's chat with its branches and its runs. A missing chat is not an error.
 * @throws HttpError 404 if the server stores no conversations
 */
export async function deleteChat(id: string, ctx: RequestContext, runs: ChatRuns): Promise<void> {
  const { user } = ctx
  const store = storeOf(ctx)
  const key = ownedKey(user.id, id)
  const known = await onStore(() => branchesOf(key, store))
  // First, so that no run appends to a deleted session.
  await runs.endRunsOf(user.id, id)
  await onStore(async () => {
    for (const branch of new Set([key, ...known.map((one) => one.id)])) await store.delete(branch)
  })
}

/** A session store whose methods for branches and pages may be missing. */
type TreeStore = SessionStore & {
  branches?(id: string): Promise<readonly BranchInfo[]>
  list(query?: ListQuery): Promise<readonly SessionInfo[]>
}

interface BranchInfo extends Partial<Place> {
  readonly id: string
  readonly from?: string
  readonly at?: number
}

type Place = Pick<SessionInfo, 'id' | 'updatedAt'>

interface ListQuery {
  readonly prefix: string
  readonly limit: number
  readonly after?: Place
}

/**
 * Returns the store for conversations.
 * @throws HttpError 404 if the server has no such store
 */
function storeOf({ handler }: RequestContext): TreeStore {
  const { sessions } = handler.options
  if (sessions) return sessions as TreeStore
  throw new HttpError(
    404,
    'not_found',
    'This server stores no conversations. Set `sessions` in agentHandler.',
  )
}

/** Calls the store. The client gets the message of an error about an invalid session id, because it sent that id. */
async function onStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = Object(error).code
    throw code === 'invalid_request' ? toHttpError(error, false) : error
  }
}

/** Returns the branches of a session's tree. Empty for an unknown session. */
async function branchesOf(key: string, store: TreeStore): Promise<readonly BranchInfo[]> {
  if (store.branches) return store.branches(key)
  const { version } = await store.load(key)
  return version === 0 ? [] : [{ id: key }]
}

function newestOf<Branch extends BranchInfo>(branches: readonly Branch[]): Branch | undefined {
  return branches.toSorted((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0))[0]
}

/** Returns a session's chat id. Undefined for another user's session, and for a branch that is not the newest. */
async function chatOf(key: string, owner: string, store: TreeStore): Promise<string | undefined> {
  const own = readKey(key)
  if (own?.owner !== owner) return undefined
  const tree = (await store.branches?.(key)) ?? []
  if (tree.length > 0 && newestOf(tree)?.id !== key) return undefined
  const root = tree.find(({ from }) => from === undefined)
  // If the session that the branch was forked from is missing, the branch's name still contains its id: `ID~abcdefgh`.
  return root ? (readKey(root.id)?.id ?? own.id) : own.id.replace(tree.length > 0 ? /(~\w{8})+$/ : '', '')
}

/** Returns the prefix of all session ids of a user: `ownedKey` without the chat's id. */
function prefixOf(owner: string): string {
  return `${JSON.stringify([owner]).slice(0, -1)},`
}

/** Parses a session id: `ownedKey`, followed by the branch's suffix. */
function readKey(
  key: string,
): { readonly owner: string; readonly id: string; readonly branch: string } | undefined {
  const end = key.lastIndexOf('"]') + 2
  const parts = tryJson(key.slice(0, end))
  const [owner, id]: readonly unknown[] = Array.isArray(parts) ? parts : []
  return typeof owner === 'string' && typeof id === 'string'
    ? { owner, id, branch: key.slice(end) }
    : undefined
}

/** Returns the session name that clients see: the session's id without the user's id. */
function nameOf(key: string): string {
  const { id, branch } = readKey(key) ?? { id: key, branch: '' }
  return id + branch
}

/**
 * Lists a page of the sessions with a prefix, and one more session if there is a next page. Also works with stores that
 * ignore the query and list all sessions.
 */
async function pageOf(
  store: TreeStore,
  { prefix, limit, after }: Omit<ListQuery, 'after'> & { readonly after: Place | undefined },
): Promise<readonly SessionInfo[]> {
  const listed = await store.list({ prefix, limit: limit + 1, ...(after ? { after } : {}) })
  const own = listed.filter(({ id }) => id.startsWith(prefix))
  if (!after) return own.slice(0, limit + 1)
  const place = own.findIndex(({ id, updatedAt }) => id === after.id && updatedAt === after.updatedAt)
  const rest = place < 0 ? own.filter(({ updatedAt }) => updatedAt <= after.updatedAt) : own.slice(place + 1)
  return rest.slice(0, limit + 1)
}

function toCursor({ id, updatedAt }: Place): string {
  return `${updatedAt}.${id}`
}

/**
 * Parses the cursor of a page.
 * @throws HttpError 400 if it is invalid
 */
function readCursor(after: string | null): Place | undefined {
  if (after === null) return undefined
  const [, time, id] = /^(\d{1,16})\.(.+)$/s.exec(after) ?? []
  if (time === undefined || id === undefined)
    throw invalidRequest('`after` must be the value of `after` from the previous page.')
  return { id, updatedAt: Number(time) }
}
