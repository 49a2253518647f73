import type { AnyAgent, Artifact, Decision, Message, ToolCall, ToolMessage } from '@capstan/core'
import { isRecord, withAttached } from '@capstan/core/internal'
import { storeFile } from '../artifacts.js'
import { wrongPart } from '../client-messages.js'
import type { RequestContext } from '../context.js'
import { invalidRequest } from '../http-error.js'
import { stringOrEmpty } from '../read-json.js'
import { type AppliedDecision, readApprovalId } from '../runs/decisions.js'
import { supersededResult } from '../runs/supersede.js'
import type { ChatChange } from './branches.js'

/** The fields that the server reads from an AI SDK chat request. */
export interface UiRequest {
  /** The chat's id. Required if the server stores conversations. */
  readonly id: string | undefined
  readonly messages: readonly UiMessage[]
  readonly last: UiMessage
  /** Set if an earlier reply should be generated again, or an earlier message was changed. */
  readonly change: ChatChange | undefined
  /** The branch that the page selects. */
  readonly branch: string | undefined
  /** The name of the agent to run. Default: the first agent. */
  readonly agent: unknown
  /** The page's tools by name, as some front ends send them. */
  readonly tools: Readonly<Record<string, unknown>>
}

export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly UiPart[]
  /** The id of the run that produced the message, if it is a reply. */
  readonly runId: string | undefined
}

type UiPart = Readonly<Record<string, unknown>> & { readonly type: string }

/**
 * Parses a chat request.
 * @throws HttpError 400 for an invalid body
 */
export function readUiRequest(body: Readonly<Record<string, unknown>>): UiRequest {
  const { id, messages: given, trigger, messageId, agent, tools, branch } = body
  if (!Array.isArray(given)) throw invalidRequest('`messages` must be an array of UI messages.')
  const messages = given.map(toMessage)
  const last = messages.at(-1)
  if (!last) throw invalidRequest('`messages` is empty.')
  const changed = messages.find((message) => message.id === messageId)
  return {
    id: typeof id === 'string' ? id : undefined,
    messages,
    last,
    change: changeOf(trigger, messageId, { changed, last }),
    branch: typeof branch === 'string' ? branch : undefined,
    agent: agent ?? undefined,
    tools: isRecord(tools) ? tools : {},
  }
}

function changeOf(
  trigger: unknown,
  messageId: unknown,
  { changed, last }: { readonly changed: UiMessage | undefined; readonly last: UiMessage },
): ChatChange | undefined {
  if (trigger === 'regenerate-message')
    return { kind: 'regenerate', messageId: typeof messageId === 'string' ? messageId : undefined }
  if (changed) return changed.role === 'user' ? { kind: 'edit', messageId: changed.id } : undefined
  return last.role === 'user' && last.id !== '' ? { kind: 'retry-or-new', messageId: last.id } : undefined
}

function toMessage(given: unknown): UiMessage {
  const { id, role, parts, metadata } = isRecord(given) ? given : {}
  const { runId } = isRecord(metadata) ? metadata : {}
  if (role === 'system') throw invalidRequest('Clients cannot send instructions. Omit "system" messages.')
  if ((role !== 'user' && role !== 'assistant') || !Array.isArray(parts) || !parts.every(isPart))
    throw invalidRequest('Each message must be { id, role: "user" or "assistant", parts: [{ type, ... }] }.')
  const unknown = parts.find(({ type }) => !knownParts.test(type))
  if (unknown) throw wrongPart(unknown.type, 'parts of UI messages')
  return {
    id: typeof id === 'string' ? id : '',
    role,
    parts,
    runId: typeof runId === 'string' ? runId : undefined,
  }
}

// Of these, only text, files and calls are read. The other parts are only displayed.
const knownParts =
  /^(text|file|tool-.+|dynamic-tool|step-start|reasoning|reasoning-file|source-url|source-document|custom|data-.+)$/s

function isPart(part: unknown): part is UiPart {
  return isRecord(part) && typeof part.type === 'string'
}

/**
 * Converts UI messages to chat messages. Calls that were pending when the user sent a new message are denied; other
 * calls without a result are omitted.
 * @throws HttpError 400 for a file that cannot be stored
 */
export async function toMessages(
  messages: readonly UiMessage[],
  agent: AnyAgent,
  ctx: RequestContext,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const [index, { role, parts }] of messages.entries()) {
    // A user who sent a new message did not decide on the pending calls.
    const unanswered = messages[index + 1]?.role === 'user' ? supersededResult : undefined
    if (role === 'assistant') all.push(...stepsOf(parts).flatMap((step) => toMessagePair(step, unanswered)))
    else all.push(await toUserMessage(parts, agent, ctx))
  }
  return all
}

async function toUserMessage(
  parts: readonly UiPart[],
  agent: AnyAgent,
  ctx: RequestContext,
): Promise<Message> {
  const files: Artifact[] = []
  for (const { type, url } of parts)
    if (type === 'file') files.push(await storeFile(stringOrEmpty(url), agent, ctx))
  return withAttached({ role: 'user', content: textOf(parts) }, files)
}

/** Splits parts into steps. Each step is one model reply. */
function stepsOf(parts: readonly UiPart[]): readonly (readonly UiPart[])[] {
  const steps: UiPart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function toMessagePair(parts: readonly UiPart[], unanswered: string | undefined): readonly Message[] {
  const content = textOf(parts)
  const calls = parts.flatMap((part) => {
    const call = toToolPart(part)
    const result = call && !call.isInner ? (toResult(call) ?? toUnanswered(call, unanswered)) : undefined
    return call && result ? [{ call: toCall(call), result }] : []
  })
  if (calls.length === 0) return content === '' ? [] : [{ role: 'assistant', content }]
  const reply = {
    role: 'assistant',
    content: content || null,
    tool_calls: calls.map(({ call }) => call),
  } as const
  return [reply, ...calls.map(({ result }) => result)]
}

function textOf(parts: readonly UiPart[]): string {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  return texts.join('\n\n')
}

function toCall({ callId, name, input }: UiToolPart): ToolCall {
  return { id: callId, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

function toResult({ callId, state, output, errorText, approval }: UiToolPart): ToolMessage | undefined {
  const toolMessage = (content: string) => ({ role: 'tool', tool_call_id: callId, content }) as const
  if (state === 'output-error') return toolMessage(errorText)
  if (state === 'output-denied')
    return toolMessage(`Denied: ${stringOrEmpty(approval.reason) || 'the user did not approve.'}`)
  if (state !== 'output-available') return undefined
  return toolMessage(typeof output === 'string' ? output : JSON.stringify(output ?? null))
}

function toUnanswered({ callId, state }: UiToolPart, content: string | undefined): ToolMessage | undefined {
  const isWhole =
    state === 'approval-requested' || state === 'approval-responded' || state === 'input-available'
  return isWhole && content !== undefined ? { role: 'tool', tool_call_id: callId, content } : undefined
}

/**
 * Returns the decisions in an assistant message, by call id: approvals, denials, and results of the page's
 * own tools.
 */
export function uiDecisions({ parts, runId }: UiMessage): ReadonlyMap<string, AppliedDecision> {
  const decisions = parts.flatMap((part) => {
    const call = toToolPart(part)
    const decision = call && toDecision(call)
    if (!decision) return []
    const { state, errorText: reason } = call
    const answer = state === 'output-error' ? ({ type: 'deny', reason } as const) : decision
    return [[call.callId, { decision, answer, runId: askedInRun(call) ?? runId }] as const]
  })
  return new Map(decisions)
}

function toDecision({ state, output, errorText, approval }: UiToolPart): Decision | undefined {
  switch (state) {
    case 'approval-responded':
      return approval.approved === true ? { type: 'approve' } : { type: 'deny', reason: reasonOf(approval) }
    case 'output-available':
      return { type: 'result', value: output ?? null }
    case 'output-error':
      return { type: 'result', value: { error: errorText } }
    default:
      return undefined
  }
}

function reasonOf({ reason }: UiToolPart['approval']): string {
  return typeof reason === 'string' && reason.trim() !== ''
    ? reason.slice(0, 1000)
    : 'The user did not approve.'
}

/**
 * Returns the id of the run that asked for an approval. If the approval id is invalid, returns `''`, which matches no
 * run.
 */
function askedInRun({ state, callId, approval }: UiToolPart): string | undefined {
  if (state !== 'approval-responded') return undefined
  const approvalId = readApprovalId(approval.id)
  return approvalId?.callId === callId ? approvalId.runId : ''
}

/** A tool call in a UI message. */
interface UiToolPart {
  readonly callId: string
  readonly name: string
  readonly state: unknown
  readonly input: unknown
  readonly output: unknown
  readonly errorText: string
  readonly approval: Readonly<Record<string, unknown>>
  /** Whether a nested agent made the call. The conversation does not contain such calls. */
  readonly isInner: boolean
}

/** Returns a part's tool call. Undefined for any other part, and for a call that was started but not made. */
function toToolPart(part: UiPart): UiToolPart | undefined {
  const isInner = part.type === 'dynamic-tool'
  const name = isInner ? part.toolName : /^tool-(.+)$/s.exec(part.type)?.[1]
  const { toolCallId, state, input, rawInput, output, errorText, approval } = part
  if (typeof name !== 'string' || typeof toolCallId !== 'string') return undefined
  // The call was started, but it is not in the reply.
  if (state === 'output-error' && (input ?? rawInput ?? null) === null) return undefined
  return {
    callId: toolCallId,
    name,
    state,
    input,
    output,
    errorText: typeof errorText === 'string' ? errorText : 'The tool failed.',
    approval: isRecord(approval) ? approval : {},
    isInner,
  }
}
