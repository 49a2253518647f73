import type { AnyAgent, Artifact, Decision, Message, ToolCall } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { takeIn, withFiles } from '../artifacts.js'
import type { Visit } from '../context.js'
import { invalidRequest } from '../http-error.js'
import { textOf } from '../read-json.js'
import { type CallAnswer, readApprovalId } from '../resume-run.js'

/** What an AG-UI client sends, as far as it is read here. */
export interface RunInput {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly AgUiMessage[]
  /** Tools of the page. */
  readonly tools: readonly unknown[]
  /** What the page says besides: its context, and instructions. */
  readonly beside: readonly string[]
  readonly resume: readonly Fields[]
}

type Fields = Readonly<Record<string, unknown>>
type AgUiMessage = Fields & { readonly role: 'user' | 'assistant' | 'tool' }

/** @throws HttpError 400 for what is no such input */
export function readRunInput(body: Fields): RunInput {
  const { threadId, runId, messages: given } = body
  if (typeof threadId !== 'string' || typeof runId !== 'string')
    throw invalidRequest('`threadId` and `runId` must be texts.')
  if (!Array.isArray(given) || !given.every(isRecord))
    throw invalidRequest('`messages` must be a list of messages.')
  const context = listOf(body.context)
  const instructions = given.filter(({ role }) => role === 'system' || role === 'developer')
  return {
    threadId,
    runId,
    messages: given.filter(isSaid),
    tools: Array.isArray(body.tools) ? body.tools : [],
    beside: [
      ...context.map(({ description, value }) => `${textOf(description)}: ${textOf(value)}`),
      ...instructions.map(({ content }) => textOf(content)),
    ],
    resume: listOf(body.resume),
  }
}

/** Reasoning and activities are for people to see. */
function isSaid(message: Fields): message is AgUiMessage {
  return message.role === 'user' || message.role === 'assistant' || message.role === 'tool'
}

/** AG-UI messages as a run takes them. Calls that came to nothing are left out. @throws HttpError 400 for a file that is not taken */
export async function toMessages(
  messages: readonly AgUiMessage[],
  agent: AnyAgent,
  visit: Visit,
): Promise<readonly Message[]> {
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId))
  const all: Message[] = []
  for (const message of messages) {
    const { role, content } = message
    if (role === 'user') all.push({ role, content: await toWords(content, agent, visit) })
    else if (role === 'assistant') all.push(...toAnswer(message, answered))
    else all.push({ role, tool_call_id: textOf(message.toolCallId), content: wordsOf(content) })
  }
  return all
}

async function toWords(content: unknown, agent: AnyAgent, visit: Visit): Promise<string> {
  const files: Artifact[] = []
  for (const url of filesOf(content)) files.push(await takeIn(url, agent, visit))
  return withFiles(wordsOf(content), files)
}

function toAnswer({ content, toolCalls }: AgUiMessage, answered: ReadonlySet<unknown>): readonly Message[] {
  const text = wordsOf(content)
  const calls = listOf(toolCalls)
    .filter(({ id }) => answered.has(id))
    .map(toCall)
  if (calls.length > 0) return [{ role: 'assistant', content: text || null, tool_calls: calls }]
  return text === '' ? [] : [{ role: 'assistant', content: text }]
}

function toCall({ id, function: called }: Readonly<Record<string, unknown>>): ToolCall {
  const { name, arguments: args } = isRecord(called) ? called : {}
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: textOf(args) } }
}

/** What a client says to calls that wait: answers to interrupts, and results of its own tools behind what the user said last. */
export function agUiAnswers({ resume, messages }: RunInput): ReadonlyMap<string, CallAnswer> {
  const said = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(said + 1)
  const askedIn = new Map(
    since
      .toReversed()
      .flatMap(({ id, toolCalls }) => listOf(toolCalls).map((call) => [call.id, id] as const)),
  )
  const results = since.flatMap(({ role, toolCallId, content, error }) => {
    if (role !== 'tool') return []
    const value = typeof error === 'string' ? { error } : wordsOf(content)
    const answer = { decision: { type: 'result', value } as const, runId: runOf(askedIn.get(toolCallId)) }
    return [[textOf(toolCallId), answer] as const]
  })
  const decided = resume.flatMap((entry) => {
    const asked = readApprovalId(entry.interruptId)
    return asked ? [[asked.callId, { decision: toDecision(entry), runId: asked.runId }] as const] : []
  })
  return new Map<string, CallAnswer>([...results, ...decided])
}

/** `true`, or `{ approved: true }`; anything else is a no. */
function toDecision({ status, payload }: Fields): Decision {
  const { approved, reason } = isRecord(payload) ? payload : { approved: payload, reason: undefined }
  if (status === 'resolved' && approved === true) return { type: 'approve' }
  const isTold = typeof reason === 'string' && reason.trim() !== ''
  return { type: 'deny', reason: isTold ? reason.slice(0, 1000) : 'The user said no.' }
}

/** The words of a message. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).flatMap(({ type, text }) => (type === 'text' ? [textOf(text)] : []))
  return texts.join('\n\n')
}

/** The addresses of what came with them; bytes have `data:` addresses. */
function filesOf(content: unknown): readonly string[] {
  return listOf(content).flatMap((part) => {
    if (part.type === 'text') return []
    // In the older form of a part its fields stand in it, and not in a source.
    const { type, value, mimeType, data, url } = { ...part, ...(isRecord(part.source) ? part.source : {}) }
    const bytes = type === 'data' ? value : data
    if (typeof bytes === 'string') return [`data:${textOf(mimeType)};base64,${bytes}`]
    return [textOf(type === 'url' ? value : url)]
  })
}

/** The objects in a list, none where there is no list. */
function listOf(given: unknown): readonly Fields[] {
  return Array.isArray(given) ? given.filter(isRecord) : []
}

/** Names a message by its run, so that no other run's is called alike. */
export function toMessageId(runId: string, name: string): string {
  return `${runId} ${name}`
}

/** The run of a message that was named so. */
function runOf(messageId: unknown): string | undefined {
  return typeof messageId === 'string' ? /^(\S+) [a-z]/.exec(messageId)?.[1] : undefined
}
