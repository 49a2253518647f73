import type { AnyAgent, Artifact, Decision, Message, ToolCall, ToolMessage } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { takeIn, withFiles } from '../artifacts.js'
import type { Visit } from '../context.js'
import { invalidRequest } from '../http-error.js'
import { textOf as wordsOf } from '../read-json.js'
import { type CallAnswer, readApprovalId } from '../resume-run.js'

/** What a chat of the AI SDK sends, as far as it is read here. */
export interface UiRequest {
  /** Of the chat. */
  readonly id: string | undefined
  readonly messages: readonly UiMessage[]
  readonly last: UiMessage
  /** Whether an earlier message is to be answered anew, or was changed. */
  readonly isChange: boolean
  /** The name of an agent, where there are several. */
  readonly agent: unknown
  /** Tools of the page by name, as some front ends send them. */
  readonly tools: Readonly<Record<string, unknown>>
}

export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly UiPart[]
  /** Of an answer, the run that gave it. */
  readonly runId: string | undefined
}

type UiPart = Readonly<Record<string, unknown>> & { readonly type: string }

/** @throws HttpError 400 for what is no such request */
export function readUiRequest(body: Readonly<Record<string, unknown>>): UiRequest {
  const { id, messages: given, trigger, messageId, agent, tools } = body
  if (!Array.isArray(given)) throw invalidRequest('`messages` must be a list of UI messages.')
  const messages = given.map(toMessage)
  const last = messages.at(-1)
  if (!last) throw invalidRequest('`messages` is empty.')
  const changed = messages.find((message) => message.id === messageId)
  return {
    id: typeof id === 'string' ? id : undefined,
    messages,
    last,
    isChange: trigger === 'regenerate-message' || changed?.role === 'user',
    agent: agent ?? undefined,
    tools: isRecord(tools) ? tools : {},
  }
}

function toMessage(given: unknown): UiMessage {
  const { id, role, parts, metadata } = isRecord(given) ? given : {}
  const { runId } = isRecord(metadata) ? metadata : {}
  if (role === 'system')
    throw invalidRequest('Instructions are the agent\'s own: leave "system" messages out.')
  if ((role !== 'user' && role !== 'assistant') || !Array.isArray(parts) || !parts.every(isPart))
    throw invalidRequest('Each message must be { id, role: "user" or "assistant", parts: [{ type, ... }] }.')
  return {
    id: typeof id === 'string' ? id : '',
    role,
    parts,
    runId: typeof runId === 'string' ? runId : undefined,
  }
}

function isPart(part: unknown): part is UiPart {
  return isRecord(part) && typeof part.type === 'string'
}

/** UI messages as a run takes them. Calls that came to nothing are left out. @throws HttpError 400 for a file that is not taken */
export async function toMessages(
  messages: readonly UiMessage[],
  agent: AnyAgent,
  visit: Visit,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const { role, parts } of messages) {
    if (role === 'assistant') for (const answer of stepsOf(parts).flatMap(toAnswer)) all.push(answer)
    else all.push({ role, content: await toWords(parts, agent, visit) })
  }
  return all
}

async function toWords(parts: readonly UiPart[], agent: AnyAgent, visit: Visit): Promise<string> {
  const files: Artifact[] = []
  for (const { type, url } of parts) if (type === 'file') files.push(await takeIn(wordsOf(url), agent, visit))
  return withFiles(textOf(parts), files)
}

/** Each step is one answer of the model's. */
function stepsOf(parts: readonly UiPart[]): readonly (readonly UiPart[])[] {
  const steps: UiPart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function toAnswer(parts: readonly UiPart[]): readonly Message[] {
  const content = textOf(parts)
  const calls = parts.flatMap((part) => {
    const call = toToolPart(part)
    const result = call && !call.isInner ? toResult(call) : undefined
    return call && result ? [{ call: toCall(call), result }] : []
  })
  if (calls.length === 0) return content === '' ? [] : [{ role: 'assistant', content }]
  const asked = {
    role: 'assistant',
    content: content || null,
    tool_calls: calls.map(({ call }) => call),
  } as const
  return [asked, ...calls.map(({ result }) => result)]
}

function textOf(parts: readonly UiPart[]): string {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  return texts.join('\n\n')
}

function toCall({ callId, name, input }: UiToolPart): ToolCall {
  return { id: callId, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

function toResult({ callId, state, output, errorText, approval }: UiToolPart): ToolMessage | undefined {
  const told = (content: string) => ({ role: 'tool', tool_call_id: callId, content }) as const
  if (state === 'output-error') return told(errorText)
  if (state === 'output-denied') return told(`Denied: ${wordsOf(approval.reason) || 'the user said no.'}`)
  if (state !== 'output-available') return undefined
  return told(typeof output === 'string' ? output : JSON.stringify(output ?? null))
}

/** What an answer of the assistant's says of its calls by now: yes or no where it was asked, results of the page's own. */
export function uiAnswers({ parts, runId }: UiMessage): ReadonlyMap<string, CallAnswer> {
  const answers = parts.flatMap((part) => {
    const call = toToolPart(part)
    const decision = call && toDecision(call)
    return decision ? [[call.callId, { decision, runId: askedBy(call) ?? runId }] as const] : []
  })
  return new Map(answers)
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
  return typeof reason === 'string' && reason.trim() !== '' ? reason.slice(0, 1000) : 'The user said no.'
}

/** A yes or a no without the run that asked is for none. */
function askedBy({ state, callId, approval }: UiToolPart): string | undefined {
  if (state !== 'approval-responded') return undefined
  const asked = readApprovalId(approval.id)
  return asked?.callId === callId ? asked.runId : ''
}

/** A call in a UI message. */
interface UiToolPart {
  readonly callId: string
  readonly name: string
  readonly state: unknown
  readonly input: unknown
  readonly output: unknown
  readonly errorText: string
  readonly approval: Readonly<Record<string, unknown>>
  /** Of an agent within the agent: such a call is not in the conversation. */
  readonly isInner: boolean
}

/** The call that a part is of, if it is of one. */
function toToolPart(part: UiPart): UiToolPart | undefined {
  const isInner = part.type === 'dynamic-tool'
  const name = isInner ? part.toolName : /^tool-(.+)$/s.exec(part.type)?.[1]
  const { toolCallId, state, input, output, errorText, approval } = part
  if (typeof name !== 'string' || typeof toolCallId !== 'string') return undefined
  return {
    callId: toolCallId,
    name,
    state,
    input,
    output,
    errorText: typeof errorText === 'string' ? errorText : 'It failed.',
    approval: isRecord(approval) ? approval : {},
    isInner,
  }
}
