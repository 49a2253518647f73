import type { AnyAgent, Json, Message, SessionStore, ToolMessage } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { RequestContext } from '../context.js'
import { HttpError, invalidRequest } from '../http-error.js'
import { ownedKey } from '../owned-cache.js'
import { chatKey } from '../runs/chat-runs.js'
import { settingsOf } from '../runs/pending.js'
import type { Following } from '../runs/runs.js'
import type { StartOptions } from '../start-run.js'
import { withoutMarks } from '../stored-conversation.js'
import { marksOf, toTurns } from './to-ui-messages.js'

/** A change that a page makes to its conversation. */
export type ChatChange =
  | { readonly kind: 'regenerate'; readonly messageId: string | undefined }
  | { readonly kind: 'edit'; readonly messageId: string }
  /** A new message or, if its id is already stored, an edit of the stored message. */
  | { readonly kind: 'edit-or-new'; readonly messageId: string }
  /** A new message, unless it is already stored without a reply. In that case, the reply failed and is retried. */
  | { readonly kind: 'retry-or-new'; readonly messageId: string }

/** The session in which a chat request continues the conversation. */
export interface ChatPlace {
  /** The suffix of the session's id, after the chat's id: `''`, or `~` and 8 letters. */
  readonly branch: string
  /** Removes the new branch if its run cannot start. */
  undo?(): Promise<void>
  /** The stored user message whose reply is generated again. `againId` is the message's id in the page. */
  readonly again?: Message
  readonly againId?: string | undefined
  /** Calls that may have had effects, from the part of the conversation that was cut off. */
  readonly effects: readonly Json[]
}

/** Starts a run in its session. If the run cannot start, its new branch is removed. */
export async function startIn(
  { branch, effects, undo }: ChatPlace,
  start: StartOptions,
  ctx: RequestContext,
): Promise<Following> {
  const head = { ...start.head, ...(effects.length > 0 && { effects }) }
  try {
    return await ctx.handler.runs.start({ ...start, branch, head }, ctx)
  } catch (error) {
    await undo?.()
    throw error
  }
}

/** Returns the calls that may have had effects, from the part of the conversation that the branch cut off. */
export function effectsOf({ head }: Pick<Following, 'head'>): readonly unknown[] {
  return Array.isArray(head.effects) ? head.effects : []
}

interface ChatRequest {
  readonly protocol: 'ui' | 'ag-ui'
  readonly id: string
  readonly change: ChatChange | undefined
  /** The branch that the page selects: the chat's id with the branch's suffix. Default: the newest branch. */
  readonly branch: string | undefined
}

/**
 * Returns the session in which a request continues a stored chat: its newest branch, or a new branch that is cut before
 * the changed message. The messages before the cut are copied from the server's own store.
 * @throws HttpError 404 for an unknown message or branch; 409 while a reply is in progress; 400 for a store without
 * `fork`
 */
export async function placeOf(
  request: ChatRequest,
  agent: AnyAgent,
  ctx: RequestContext,
): Promise<ChatPlace> {
  const { user, handler } = ctx
  const { sessions } = handler.options
  if (!sessions) return noPlace
  const root = ownedKey(user.id, request.id)
  const from = await sourceOf(request, root, sessions)
  const { change } = request
  const goingOn: ChatPlace = { branch: from.slice(root.length), effects: [] }
  if (!change) return goingOn
  const active = await handler.runs.newest(user.id, { chat: chatKey(request.protocol, request.id) })
  const running = active?.entry.status === 'running' ? active.record.start.userIds : undefined
  const { messages } = await sessions.load(from)
  const isNew =
    change.kind.endsWith('-or-new') &&
    !running?.includes(change.messageId ?? '') &&
    !isStored(messages, change, sessions)
  if (isNew) return goingOn
  if (!sessions.fork)
    throw invalidRequest(
      "This server's store does not support branches, so earlier messages cannot be changed or regenerated. Send a new message.",
    )
  if (running)
    throw new HttpError(409, 'run_active', 'A reply is in progress. Wait until it ends, or abort it.')
  const at = cutOf(messages, change)
  const branch = `~${randomLetters()}`
  await sessions.fork(from, at, root + branch)
  const [first] = messages.slice(at)
  return {
    branch,
    undo: () => sessions.delete(root + branch),
    effects: effectsIn(messages.slice(at), agent),
    ...(change.kind === 'regenerate' && first
      ? { again: withoutMarks(first), againId: marksOf(first).messageId }
      : {}),
  }
}

/** Whether a message that may be new is already stored, so that it needs a new reply. */
function isStored(messages: readonly Message[], change: ChatChange, { fork }: SessionStore): boolean {
  const at = cutIn(messages, change)
  if (at === undefined || change.kind !== 'retry-or-new') return at !== undefined
  return fork !== undefined && messages.slice(at).every(({ role }) => role === 'user')
}

/** The `ChatPlace` for a conversation that is not stored. */
export const noPlace: ChatPlace = { branch: '', effects: [] }

/**
 * Returns the session id of the selected branch, by default the newest.
 * @throws HttpError 404 for an unknown branch
 */
async function sourceOf({ id, branch }: ChatRequest, root: string, sessions: SessionStore): Promise<string> {
  const tree = (await sessions.branches?.(root)) ?? []
  if (branch === undefined) return tree[0]?.id ?? root
  const key = branch.startsWith(id) ? root + branch.slice(id.length) : undefined
  if (key !== undefined && (key === root || tree.some((one) => one.id === key))) return key
  throw new HttpError(404, 'not_found', `This chat has no branch ${JSON.stringify(branch.slice(0, 200))}.`)
}

/**
 * Returns the index of the first message that a change cuts off.
 * @throws HttpError 404 for an unknown message
 */
function cutOf(messages: readonly Message[], change: ChatChange): number {
  const at = cutIn(messages, change)
  if (at !== undefined) return at
  const { messageId } = change
  const which =
    messageId === undefined ? 'no message' : `no message ${JSON.stringify(messageId.slice(0, 200))}`
  throw new HttpError(404, 'not_found', `This chat has ${which} to regenerate or edit.`)
}

/** Returns the index of the user message before which the conversation is cut. Undefined for an unknown message. */
function cutIn(messages: readonly Message[], { kind, messageId }: ChatChange): number | undefined {
  const turns = toTurns(messages)
  const idOf = (own: readonly Message[]) =>
    own.map(marksOf).find((marks) => marks.messageId !== undefined)?.messageId
  const wanted = kind === 'regenerate' ? 'assistant' : 'user'
  const place =
    messageId === undefined
      ? turns.findLastIndex(({ role }) => role === 'user')
      : turns.findIndex(({ role, messages: own }) => role === wanted && idOf(own) === messageId)
  const turn = turns[place]
  const before = turn?.role === 'assistant' ? turns[place - 1] : turn
  return before?.role === 'user' ? before.start : undefined
}

/** Returns the successful calls to tools that may have effects. */
function effectsIn(messages: readonly Message[], agent: AnyAgent): readonly Json[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, message] as const] : [],
    ),
  )
  return messages.flatMap(callsOf).flatMap(({ id: callId, function: { name, arguments: args } }) => {
    const isDone = isOk(results.get(callId)) && settingsOf(agent, name)?.effects !== 'read'
    return isDone ? [{ callId, name, arguments: args }] : []
  })
}

/** Whether a call was successful. Results that were stored without a status count as successful. */
function isOk(result: ToolMessage | undefined): boolean {
  return result !== undefined && (marksOf(result).status ?? 'ok') === 'ok'
}

function randomLetters(): string {
  const toLetter = (digit: string) => 'ghijklmnop'.charAt(Number(digit))
  return crypto.randomUUID().slice(0, 8).replace(/\d/g, toLetter)
}
