import type {
  AnyAgent,
  Decisions,
  Json,
  RunEvent,
  RunInput,
  RunOptions,
  SessionRef,
  SessionStore,
} from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import { watchBudget } from './budget.js'
import type { KnownReplies } from './chat/known-replies.js'
import { clientTools } from './client-tools.js'
import { type HttpError, invalidRequest, reportError } from './http-error.js'
import type { Settings, User } from './options.js'
import { ownedKey } from './owned-cache.js'
import { storedConversation, withDeadline } from './stored-conversation.js'
import type { UserArtifacts } from './user-artifacts.js'

/** The options for starting a run, or for continuing one. */
export interface StartOptions {
  readonly agent: AnyAgent
  readonly input: RunInput
  /** The stored conversation's id, without the user's id. */
  readonly session?: string | undefined
  /** The suffix that a branch adds to the session id. Default: none. */
  readonly branch?: string
  /** The key of the front end's chat in which the run is shown. */
  readonly chat?: string | undefined
  /** The request's JSON, for the `context` option. */
  readonly sent: Readonly<Record<string, unknown>>
  /** Whether the run waits for decisions instead of ending as pending. */
  readonly wait?: boolean
  /** Whether calls that need an approval are denied because the client cannot receive approval requests. */
  readonly unattended?: boolean
  /** The client's tools, in the chat completions format. */
  readonly tools?: readonly Json[]
  readonly toolChoice?: RunOptions['toolChoice']
  readonly taintedBy?: RunOptions['taintedBy']
  /** The protocol fields that are needed to write the client's stream again after a takeover. */
  readonly head?: Readonly<Record<string, Json>>
  /** The page's ids for the user messages in the input. */
  readonly userIds?: readonly string[]
  /** Whether model replies are streamed. Default true. */
  readonly isStreamed?: boolean
}

/** The parts of a handler that runs use. */
export interface RunHandler {
  readonly agents: ReadonlyMap<string, AnyAgent>
  readonly options: Settings
  readonly artifacts: UserArtifacts
  readonly replies: KnownReplies
}

/** The user for whom a run is executed, and the request that started or continued it. */
export interface RunOwner {
  readonly handler: RunHandler
  readonly user: User
  readonly request: Request
}

/** A run that is ready to start. */
export interface PreparedRun {
  readonly options: Omit<RunOptions<never>, 'context'> & { readonly context: never }
  /** Must be called when the run has ended or cannot start. */
  release(): void
  hasBegun(): boolean
  /**
   * Resolves once the budget for the first request is reserved, or with an error if that request exceeds the budget.
   */
  readonly budgeted: Promise<HttpError | undefined>
}

/**
 * Returns a run's options, and a function to call when it has ended.
 * @throws HttpError 400 for an input that runs do not accept; an error from the `context` option
 */
export async function prepareRun(
  start: StartOptions & { readonly decisions?: Decisions },
  { handler, user, request }: RunOwner,
  runId: string,
): Promise<PreparedRun> {
  const { agent, input, session, decisions, tools = [], toolChoice, taintedBy, unattended, sent } = start
  const { sessions, context: contextOf, maxSeconds } = handler.options
  checkInput(input)
  if (session !== undefined && !sessions)
    throw invalidRequest('`session` is set, but this server stores no conversations. Omit it.')
  const ofClient = clientTools(tools)
  const context =
    contextOf && (await withDeadline('context', maxSeconds, async () => contextOf(request, user, sent)))
  const watched = watch(start, { handler, user, request })
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error('the run exceeded maxSeconds')), maxSeconds * 1000)
  const options = {
    runId,
    signal: timeout.signal,
    context: context as never,
    observe: watched.observe,
    artifacts: handler.artifacts.storeOf(agent, user),
    ...(unattended ? { unattended } : {}),
    ...(session !== undefined && sessions
      ? {
          session: sessionOf(
            { ...start, session },
            { sessions, user, runId, statuses: watched.statuses, maxSeconds },
          ),
        }
      : {}),
    // A client may resume with different tools of its own.
    ...(decisions ? { decisions, allowChangedTools: true } : {}),
    ...(ofClient.length > 0 ? { tools: ofClient } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
  const stopUsing = handler.artifacts.keepFor(start, user)
  const release = () => {
    clearTimeout(timer)
    // A client that is still reading the run must be able to load its artifacts.
    const later = setTimeout(stopUsing, handler.options.keepRunsMs)
    if (typeof later === 'object') later.unref()
  }
  return { options, release, hasBegun: watched.hasBegun, budgeted: watched.budgeted }
}

/** Returns the statuses of finished calls in a pending step, by call id. */
function statusesIn(input: RunInput): Map<string, string> {
  if (typeof input === 'string' || !('results' in input)) return new Map()
  const found = new Map<string, string>()
  for (const [index, { id }] of callsOf(input.messages.at(-1)).entries()) {
    const result = input.results[index]
    if (result) found.set(id, result.status)
  }
  return found
}

/** Watches a run: whether it has started, the statuses of its calls, its budget, and the artifacts that it stores. */
function watch({ agent, input }: StartOptions, { handler, user, request }: RunOwner) {
  let hasBegun = false
  const statuses = statusesIn(input)
  const budget = watchBudget(agent)
  const observe = (event: RunEvent) => {
    hasBegun = true
    budget.observe(event)
    if (event.type === 'tool-end' && event.parentCallId === undefined)
      statuses.set(event.callId, event.status)
    // Only artifacts that the run stores: a result may contain the ids of other users' artifacts.
    if (event.type === 'artifact-stored')
      handler.artifacts
        .keepReadable(user, event.artifact)
        .catch((error: unknown) => reportError(error, request, handler.options))
        .catch(() => {})
  }
  return { observe, statuses, budgeted: budget.begun, hasBegun: () => hasBegun }
}

interface Conversation {
  readonly sessions: SessionStore
  readonly user: User
  readonly runId: string
  readonly statuses: ReadonlyMap<string, string>
  readonly maxSeconds: number
}

/** Returns the stored conversation that a run continues. */
export function sessionOf(
  {
    session,
    branch = '',
    userIds = [],
  }: Pick<StartOptions, 'branch' | 'userIds'> & { readonly session: string },
  { sessions, user, runId, statuses, maxSeconds }: Conversation,
): SessionRef {
  const store = storedConversation(sessions, { userIds, replyId: runId, statuses }, maxSeconds)
  return { store, id: ownedKey(user.id, session) + branch }
}

/** Returns the messages that a run starts with. Empty if its input is a string. */
export function messagesOf({ input }: Pick<StartOptions, 'input'>): readonly unknown[] {
  return typeof input === 'string' ? [] : 'messages' in input ? input.messages : input
}

/**
 * Rejects tool calls without results, because a client's messages must not make the agent's tools run.
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
