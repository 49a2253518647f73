import type { ContentPart, Message, MessageMedia, PendingCall, ToolCall, ToolMessage } from '@capstan/core'
import { callsOf, deniedResult, isRecord, listOf, reasoningOf, textOf, tryJson } from '@capstan/core/internal'
import { artifactUrl as defaultUrl } from '../artifacts.js'
import { readApprovalId, toApprovalId } from '../runs/decisions.js'
import type { StoredMetadata } from './message-types.js'
import { toOutput } from './stream.js'

/** A stored message in the form that the AI SDK's `useChat` (versions 6 and 7) shows: a `UIMessage`. */
export interface StoredUiMessage {
  id: string
  role: 'user' | 'assistant'
  metadata?: StoredMetadata
  parts: StoredUiPart[]
}

export type StoredUiPart =
  | { type: 'step-start' }
  | { type: 'text'; text: string; state?: 'done' }
  | { type: 'reasoning'; text: string; state: 'done' }
  | { type: 'file'; url: string; mediaType: string }
  | { type: 'data-approval'; id: string; data: { toolCallId: string; agent?: string; reason?: string } }
  | { type: 'data-question'; id: string; data: StoredUiQuestion }
  | ({ type: `tool-${string}`; toolCallId: string } & StoredCall)
  | ({ type: 'dynamic-tool'; toolName: string; toolCallId: string } & StoredCall)

/** A call's question to the user. */
export interface StoredUiQuestion {
  toolCallId: string
  agent?: string
  message: string
  schema?: object
  url?: string
}

/** A tool call's state, and its result if it has one. */
export type StoredCall =
  | { state: 'input-available'; input: unknown }
  | { state: 'approval-requested'; input: unknown; approval: { id: string } }
  | { state: 'output-available'; input: unknown; output: unknown }
  | { state: 'output-error'; input: unknown; rawInput?: unknown; errorText: string }
  | { state: 'output-denied'; input: unknown; approval: { id: string; approved: false; reason?: string } }

/** A pending call, with the id under which a page decides on it. */
export type PendingUiCall = PendingCall & { readonly approvalId: string }

export interface ToUiMessagesOptions {
  /** The chat's id. If a message has no stored id, its id consists of the chat's id and the message's index. */
  readonly id: string
  /** Returns the URL of an artifact. Default: `/artifacts/ID`, the route of an `agentHandler` without `basePath`. */
  artifactUrl?(id: string): string
  /** The last reply's calls that are waiting for a decision, or for a result from the page. Default: none. */
  readonly pending?: readonly PendingUiCall[]
}

/**
 * Converts a session's messages to messages for `useChat`: one for each user message, and one for the entire reply to
 * it, with a `step-start` part for each step. They are the messages that a page has after streaming the same runs,
 * except for data that sessions do not keep: data parts such as `data-time`, decided calls of nested agents, approvals
 * of calls that ran, token usage, file names, and text that a retry replaced.
 */
export function toUiMessages(
  messages: readonly Message[],
  { id, artifactUrl = (artifact) => defaultUrl({}, artifact), pending = [] }: ToUiMessagesOptions,
): StoredUiMessage[] {
  const turns = toTurns(messages)
  if (pending.length > 0 && turns.at(-1)?.role !== 'assistant')
    turns.push({ role: 'assistant', start: messages.length, messages: [] })
  return turns.map((turn, index) => {
    const { role, start, messages: own } = turn
    const marks = own.map(marksOf)
    const messageId = marks.find((one) => one.messageId !== undefined)?.messageId ?? `${id}-${start}`
    const waiting = index === turns.length - 1 && role === 'assistant' ? pending : []
    const parts =
      role === 'user'
        ? own.flatMap((message) => toUserParts(message, artifactUrl))
        : new ReplyParts({ messageId, artifactUrl, waiting }).all(own)
    const metadata: StoredMetadata = {
      ...runOf(waiting),
      ...createdAtOf(marks[0]),
    }
    return { id: messageId, role, ...(Object.keys(metadata).length > 0 ? { metadata } : {}), parts }
  })
}

/** The marks that a session stores with a message. Messages in older sessions have none. */
interface Marks {
  readonly messageId?: string
  readonly createdAt?: number
  readonly status?: string
}

export function marksOf(message: Message): Marks {
  const { messageId, createdAt, status }: Readonly<Record<string, unknown>> = Object(message)
  return {
    ...(typeof messageId === 'string' && messageId !== '' ? { messageId } : {}),
    ...(typeof createdAt === 'number' ? { createdAt } : {}),
    ...(typeof status === 'string' ? { status } : {}),
  }
}

function createdAtOf(marks: Marks | undefined): StoredMetadata {
  return marks?.createdAt === undefined ? {} : { createdAt: marks.createdAt }
}

/** Returns the id of the run whose calls are pending. A page sends this id back with the results of its own tools. */
function runOf([first]: readonly PendingUiCall[]): StoredMetadata {
  const runId = first && readApprovalId(first.approvalId)?.runId
  return runId === undefined ? {} : { runId }
}

/** Consecutive messages that a page shows as one. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  /** The index of the first message. */
  readonly start: number
  readonly messages: readonly Message[]
}

/** Splits a conversation into user messages and the complete replies to them. Instructions are omitted. */
export function toTurns(messages: readonly Message[]): Turn[] {
  const turns: (Turn & { readonly messages: Message[] })[] = []
  for (const [start, message] of messages.entries()) {
    const { role } = message
    const last = turns.at(-1)
    if (role === 'user') {
      if (!isOfRun(start, messages)) turns.push({ role, start, messages: [message] })
    } else if (role === 'assistant' || role === 'tool') {
      if (last?.role === 'assistant') last.messages.push(message)
      else turns.push({ role: 'assistant', start, messages: [message] })
    }
  }
  return turns
}

/**
 * Whether the run itself added a user message, such as a background call's result. If so, the message belongs to the
 * reply. A message that the run added has no id, although the message before it has one.
 */
function isOfRun(at: number, messages: readonly Message[]): boolean {
  const [before, message] = [messages[at - 1], messages[at]]
  if (!before || !message || marksOf(message).messageId !== undefined || before.role === 'user') return false
  const { messageId, status } = marksOf(before)
  return messageId !== undefined || status !== undefined
}

type ToUrl = (id: string) => string

/** Converts a user message to parts. Pages put files before the text. */
function toUserParts(message: Message, toUrl: ToUrl): StoredUiPart[] {
  const { content } = message
  const texts = Array.isArray(content)
    ? content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    : [textOf(content)]
  const files = filesOf(message).map((file) => toFilePart(file, toUrl))
  return [...files, ...texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }))]
}

/** A file in a message, with the id of its artifact or a URL. */
export interface StoredFile {
  readonly artifact?: string | undefined
  readonly url?: string | undefined
  readonly mediaType: string
}

export function filesOf({ media, content }: Pick<Message, 'media' | 'content'>): readonly StoredFile[] {
  const stored = listOf(media).flatMap((one) => {
    const { artifact, url, mediaType }: Partial<MessageMedia> = Object(one)
    const isFile = typeof artifact === 'string' || typeof url === 'string'
    return isFile ? [{ artifact, url, mediaType: mediaType ?? kindOf(artifact) }] : []
  })
  const linked = (Array.isArray(content) ? (content as readonly ContentPart[]) : []).flatMap((part) => {
    const { url }: { readonly url?: unknown } = isRecord(part.image_url) ? part.image_url : {}
    return typeof url === 'string' && /^https?:/.test(url) ? [{ url, mediaType: 'image/*' }] : []
  })
  return [...stored, ...linked]
}

/** Infers a file's media type from its artifact id, for messages that do not state a media type. */
function kindOf(artifact = ''): string {
  if (artifact.startsWith('aud_')) return 'audio/*'
  return artifact.startsWith('file_') || artifact.startsWith('txt_') ? 'application/octet-stream' : 'image/*'
}

function toFilePart({ artifact, url = '', mediaType }: StoredFile, toUrl: ToUrl) {
  return { type: 'file' as const, url: artifact === undefined ? url : toUrl(artifact), mediaType }
}

/**
 * Returns a result's artifacts: its files, and the artifacts that its text mentions in the format that the core writes
 * for the model.
 */
function artifactsIn(result: ToolMessage): readonly StoredFile[] {
  const named = [...result.content.matchAll(reference)].map(([, artifact = '', mediaType = '']) => ({
    artifact,
    mediaType,
  }))
  const known = new Set(named.map(({ artifact }) => artifact))
  return [...named, ...filesOf(result).filter(({ artifact = '' }) => !known.has(artifact))]
}

const reference = /\{"artifact":"((?:img|aud|txt|file)_[a-z2-7]{8,52})","mediaType":"([^"\\]+)"/g

interface ReplyOptions {
  readonly messageId: string
  readonly artifactUrl: ToUrl
  readonly waiting: readonly PendingUiCall[]
}

/** Converts one complete reply to parts. */
class ReplyParts {
  readonly #options: ReplyOptions
  readonly #waiting: Map<string, PendingUiCall>
  /** Artifacts that the reply has already shown. */
  readonly #shown = new Set<string>()

  constructor(options: ReplyOptions) {
    this.#options = options
    this.#waiting = new Map(options.waiting.map((call) => [call.callId, call]))
  }

  all(messages: readonly Message[]): StoredUiPart[] {
    const parts: StoredUiPart[] = []
    for (const [at, message] of messages.entries())
      if (message.role === 'assistant') parts.push(...this.#step(message, resultsAfter(at, messages)))
    // Streams show the files of replies at the end.
    const own = messages.flatMap((message) => (message.role === 'assistant' ? filesOf(message) : []))
    return [
      ...parts,
      ...this.#files(own.filter(({ artifact }) => artifact !== undefined)),
      ...this.#others(messages),
    ]
  }

  #step(message: Message & { role: 'assistant' }, results: ReadonlyMap<string, ToolMessage>): StoredUiPart[] {
    const calls = callsOf(message)
    const reasoning = reasoningOf(message)
    const texts = [textOf(message.content), message.refusal ?? ''].filter((text) => text !== '')
    const waiting = calls.flatMap(({ id }) => this.#take(id))
    return [
      { type: 'step-start' },
      ...(reasoning === undefined
        ? []
        : [{ type: 'reasoning' as const, text: reasoning, state: 'done' as const }]),
      ...texts.map((text) => ({ type: 'text' as const, text, state: 'done' as const })),
      ...calls.map((call) => ({
        type: `tool-${call.function.name}` as const,
        toolCallId: call.id,
        ...this.#call(
          call,
          results.get(call.id),
          waiting.find(({ callId }) => callId === call.id),
        ),
      })),
      ...this.#files(calls.flatMap(({ id }) => filesOfResult(results.get(id)))),
      ...waiting.flatMap(toReason),
    ]
  }

  #call(
    { id, function: called }: ToolCall,
    result: ToolMessage | undefined,
    waiting: PendingUiCall | undefined,
  ): StoredCall {
    const read = called.arguments.trim() === '' ? {} : tryJson(called.arguments)
    const input = isRecord(read) ? read : undefined
    if (input === undefined) {
      const errorText = result?.content ?? 'The arguments are not a JSON object.'
      return { state: 'output-error', input, rawInput: called.arguments, errorText }
    }
    if (waiting) return toWaiting(waiting)
    if (!result) return { state: 'input-available', input }
    const { content } = result
    switch (statusOf(result)) {
      case 'ok':
        return { state: 'output-available', input, output: toOutput(content) }
      case 'denied': {
        const reason = content.startsWith(deniedPrefix) ? content.slice(deniedPrefix.length) : content
        const approval = { id: toApprovalId(this.#options.messageId, id), approved: false as const, reason }
        return { state: 'output-denied', input, approval }
      }
      default:
        return { state: 'output-error', input, errorText: content }
    }
  }

  #files(files: readonly StoredFile[]): StoredUiPart[] {
    return files.flatMap((file) => {
      const { artifact = '' } = file
      if (this.#shown.has(artifact)) return []
      this.#shown.add(artifact)
      return [toFilePart(file, this.#options.artifactUrl)]
    })
  }

  /**
   * Returns pending calls that no message contains: those of nested agents, or of a reply that has not been stored yet.
   */
  #others(messages: readonly Message[]): StoredUiPart[] {
    const calls = [...this.#waiting.values()]
    if (calls.length === 0) return []
    const at = messages.findLastIndex(({ role }) => role === 'assistant')
    const results = resultsAfter(at, messages)
    const hasOpenCalls = callsOf(messages[at]).some(({ id }) => !results.has(id))
    return [
      { type: 'step-start' },
      ...calls.map((call) => {
        const { name, callId } = call
        const shown = { toolCallId: callId, ...toWaiting(call) }
        // The id of a nested agent's call starts with the id of the call that runs the agent.
        return hasOpenCalls || callId.includes('/')
          ? { type: 'dynamic-tool' as const, toolName: name, ...shown }
          : { type: `tool-${name}` as const, ...shown }
      }),
      ...calls.flatMap(toReason),
    ]
  }

  /** Returns the pending call with this id, but only once: later calls return `[]`. */
  #take(callId: string): readonly PendingUiCall[] {
    const call = this.#waiting.get(callId)
    this.#waiting.delete(callId)
    return call ? [call] : []
  }
}

/** Returns the results of a reply's calls, by call id. Other replies may use the same ids. */
function resultsAfter(at: number, messages: readonly Message[]): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>()
  for (const message of messages.slice(at + 1)) {
    if (message.role === 'assistant') break
    if (message.role === 'tool') results.set(message.tool_call_id, message)
  }
  return results
}

function filesOfResult(result: ToolMessage | undefined): readonly StoredFile[] {
  return result && statusOf(result) === 'ok' ? artifactsIn(result) : []
}

function toWaiting({ kind, arguments: input, approvalId }: PendingUiCall): StoredCall {
  if (kind !== 'approval') return { state: 'input-available', input }
  return { state: 'approval-requested', input, approval: { id: approvalId } }
}

/**
 * Returns the part with a pending call's reason or question. Not all versions have a field for a reason in the call's
 * own part.
 */
function toReason({ kind, callId, approvalId: id, agent, reason, ...asked }: PendingUiCall): StoredUiPart[] {
  if (kind === 'result') return []
  const call = { toolCallId: callId, ...(agent === undefined ? {} : { agent }) }
  if (kind === 'approval')
    return [{ type: 'data-approval', id, data: { ...call, ...(reason === undefined ? {} : { reason }) } }]
  const { message = '', schema, url } = asked
  const data = { ...call, message, ...(schema && { schema }), ...(url === undefined ? {} : { url }) }
  return [{ type: 'data-question', id, data }]
}

const deniedPrefix = deniedResult('').content

/** Returns a call's status. Older sessions do not store the status, so it is derived from the result's text. */
function statusOf(result: ToolMessage): string {
  const { status } = marksOf(result)
  if (status !== undefined) return status
  if (result.content.startsWith(deniedPrefix)) return 'denied'
  return result.content.startsWith('Error: ') ? 'error' : 'ok'
}
