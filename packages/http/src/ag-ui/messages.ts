import type { AnyAgent, Artifact, Decision, Message, ToolCall } from '@capstan/core'
import { isRecord, withAttached } from '@capstan/core/internal'
import { storeFile } from '../artifacts.js'
import { withoutData, wrongPart, wrongRole } from '../client-messages.js'
import type { RequestContext } from '../context.js'
import { invalidRequest } from '../http-error.js'
import { stringOrEmpty } from '../read-json.js'
import { type AppliedDecision, readApprovalId } from '../runs/decisions.js'
import { supersededResult } from '../runs/supersede.js'

/** The fields that the server reads from an AG-UI client's request. */
export interface RunInput {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly AgUiMessage[]
  /** The tools that the page runs, as the client sent them. */
  readonly tools: readonly unknown[]
  /** The page's context: its entries as `DESCRIPTION: VALUE`, then the text of system and developer messages. */
  readonly pageContext: readonly string[]
  readonly resume: readonly Fields[]
}

type Fields = Readonly<Record<string, unknown>>
type AgUiMessage = Fields & { readonly role: 'user' | 'assistant' | 'tool' }

/**
 * Parses the body of an AG-UI request.
 * @throws HttpError 400 for an invalid body
 */
export function readRunInput(body: Fields): RunInput {
  const { threadId, runId, messages: given } = body
  if (typeof threadId !== 'string' || typeof runId !== 'string')
    throw invalidRequest('`threadId` and `runId` must be strings.')
  if (!Array.isArray(given) || !given.every(isRecord))
    throw invalidRequest('`messages` must be an array of messages.')
  for (const { role, content } of given) {
    if (typeof role !== 'string' || !knownRoles.test(role)) throw wrongRole(role)
    if (role !== 'activity') checkParts(content)
  }
  const context = listOf(body.context)
  const instructions = given.filter(({ role }) => role === 'system' || role === 'developer')
  return {
    threadId,
    runId,
    messages: withoutVoidCalls(given.filter(isConversational)),
    tools: Array.isArray(body.tools) ? body.tools : [],
    pageContext: [
      ...context.map(({ description, value }) => `${stringOrEmpty(description)}: ${stringOrEmpty(value)}`),
      ...instructions.map(({ content }) => textFrom(content)),
    ],
    resume: listOf(body.resume),
  }
}

const knownRoles = /^(user|assistant|tool|system|developer|reasoning|activity)$/

function checkParts(content: unknown): void {
  for (const part of listOf(content)) {
    const { type } = part
    if (typeof type !== 'string' || !/^(text|image|audio|video|document|binary)$/.test(type))
      throw wrongPart(type, 'text, image, audio, video, document and binary parts')
    if (type !== 'text' && urlOf(part) === '') throw withoutData()
  }
}

/**
 * Whether a message belongs to the conversation. Reasoning and activities are only displayed, and instructions are part
 * of the page's context.
 */
function isConversational(message: Fields): message is AgUiMessage {
  return message.role === 'user' || message.role === 'assistant' || message.role === 'tool'
}

/** Omits calls that were streamed but are not in the final reply, and their placeholder results. */
function withoutVoidCalls(messages: readonly AgUiMessage[]): readonly AgUiMessage[] {
  const isVoid = ({ id, toolCallId }: AgUiMessage) =>
    stringOrEmpty(id).endsWith(` ${voidName(stringOrEmpty(toolCallId))}`)
  const left = new Set(
    messages.filter((one) => one.role === 'tool' && isVoid(one)).map(({ toolCallId }) => toolCallId),
  )
  if (left.size === 0) return messages
  return messages.flatMap((message) => {
    if (left.has(message.toolCallId)) return []
    const { toolCalls, ...rest } = message
    return Array.isArray(toolCalls)
      ? { ...rest, toolCalls: listOf(toolCalls).filter(({ id }) => !left.has(id)) }
      : message
  })
}

/**
 * Converts AG-UI messages to chat messages. Calls without a result are denied if a user message follows them, and
 * omitted otherwise.
 * @throws HttpError 400 for a file that cannot be stored
 */
export async function toMessages(
  messages: readonly AgUiMessage[],
  agent: AnyAgent,
  ctx: RequestContext,
): Promise<readonly Message[]> {
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId))
  const places = new Map<string, number>()
  const all: Message[] = []
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  for (const [index, message] of messages.entries()) {
    const { role, content } = message
    if (role === 'user') all.push(await toUserMessage(content, agent, ctx))
    else if (role === 'assistant') {
      all.push(...toAssistantMessages(message, answered, index < lastUser))
    } else {
      const result = { role, tool_call_id: stringOrEmpty(message.toolCallId), content: textFrom(content) }
      // A background call has two results. The second one, its outcome, replaces the first.
      const at = places.get(result.tool_call_id) ?? all.length
      places.set(result.tool_call_id, at)
      all[at] = result
    }
  }
  return all
}

async function toUserMessage(content: unknown, agent: AnyAgent, ctx: RequestContext): Promise<Message> {
  const files: Artifact[] = []
  for (const url of filesOf(content)) files.push(await storeFile(url, agent, ctx))
  return withAttached({ role: 'user', content: textFrom(content) }, files)
}

/**
 * Converts a reply. If `isLeft`, the user sent a new message instead of deciding on the pending calls, so those calls
 * are denied.
 */
function toAssistantMessages(
  { content, toolCalls }: AgUiMessage,
  answered: ReadonlySet<unknown>,
  isLeft: boolean,
): readonly Message[] {
  const text = textFrom(content)
  const calls = listOf(toolCalls)
    .filter(({ id }) => isLeft || answered.has(id))
    .map(toCall)
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }]
  const denied = calls.filter(({ id }) => !answered.has(id))
  return [
    { role: 'assistant', content: text || null, tool_calls: calls },
    ...denied.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: supersededResult }) as const),
  ]
}

function toCall({ id, function: called }: Readonly<Record<string, unknown>>): ToolCall {
  const { name, arguments: args } = isRecord(called) ? called : {}
  return {
    id: stringOrEmpty(id),
    type: 'function',
    function: { name: stringOrEmpty(name), arguments: stringOrEmpty(args) },
  }
}

/**
 * Returns the decisions in a request, by call id: responses to interrupts, and results of the page's tools that follow
 * the last user message.
 */
export function agUiDecisions({ resume, messages }: RunInput): ReadonlyMap<string, AppliedDecision> {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(lastUser + 1)
  const askedIn = new Map(
    since
      .toReversed()
      .flatMap(({ id, toolCalls }) => listOf(toolCalls).map((call) => [call.id, id] as const)),
  )
  const results = since.flatMap(({ role, toolCallId, content, error }) => {
    if (role !== 'tool') return []
    const value = typeof error === 'string' ? { error } : textFrom(content)
    const result = { decision: { type: 'result', value } as const, runId: runIdOf(askedIn.get(toolCallId)) }
    return [[stringOrEmpty(toolCallId), result] as const]
  })
  const decided = resume.flatMap((entry) => {
    const approvalId = readApprovalId(entry.interruptId)
    if (!approvalId) return []
    const { callId, runId } = approvalId
    const decision = toDecision(entry)
    const value = entry.payload ?? null
    const answer = entry.status === 'resolved' ? ({ type: 'result', value } as const) : toDenial(undefined)
    return [[callId, { decision, answer, runId }] as const]
  })
  return new Map<string, AppliedDecision>([...results, ...decided])
}

/** Parses the response to an interrupt: `true` or `{ approved: true }` approves, anything else denies. */
function toDecision({ status, payload }: Fields): Decision {
  const { approved, reason } = isRecord(payload) ? payload : { approved: payload, reason: undefined }
  return status === 'resolved' && approved === true ? { type: 'approve' } : toDenial(reason)
}

function toDenial(reason: unknown): Decision {
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  return { type: 'deny', reason: hasReason ? reason.slice(0, 1000) : 'The user did not approve.' }
}

/** Returns a message's text: its string, or its text parts joined by blank lines. */
function textFrom(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).flatMap(({ type, text }) => (type === 'text' ? [stringOrEmpty(text)] : []))
  return texts.join('\n\n')
}

/** Returns the URLs of a message's files. Files that were sent as bytes become `data:` URLs. */
function filesOf(content: unknown): readonly string[] {
  return listOf(content).flatMap((part) => (part.type === 'text' ? [] : [urlOf(part)]))
}

function urlOf(part: Fields): string {
  // Older clients put the fields of `source` directly in the part.
  const { type, value, mimeType, data, url } = { ...part, ...(isRecord(part.source) ? part.source : {}) }
  const bytes = type === 'data' ? value : data
  if (typeof bytes === 'string') return `data:${stringOrEmpty(mimeType)};base64,${bytes}`
  return stringOrEmpty(type === 'url' ? value : url)
}

/** Returns the objects in an array. Returns `[]` for any other value. */
function listOf(given: unknown): readonly Fields[] {
  return Array.isArray(given) ? given.filter(isRecord) : []
}

/** Returns a message id. It starts with the run's id, so that messages of different runs never share an id. */
export function toMessageId(runId: string, name: string): string {
  return `${runId} ${name}`
}

/** Returns the `name` to pass to `toMessageId` for the placeholder result of a call that was not made. */
export function voidName(callId: string): string {
  return `void ${callId}`
}

/** Returns the run id that a message id starts with. Undefined if the id is not from `toMessageId`. */
function runIdOf(messageId: unknown): string | undefined {
  return typeof messageId === 'string' ? /^(\S+) [a-z]/.exec(messageId)?.[1] : undefined
}
