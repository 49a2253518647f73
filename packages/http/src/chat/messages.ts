import type { Decision, Decisions, Message, PendingCall, RunState, ToolCall } from '@capstan/core'
import { callsOf, isRecord, tryJson } from '@capstan/core/internal'
import { readMessage } from '../client-messages.js'
import { invalidRequest } from '../http-error.js'
import { toToolCalls } from '../reply-encoder.js'
import { type FoundRun, type Segment, waitingCalls } from '../runs/record.js'

/**
 * Reads a chat request's messages, keeping only their documented fields.
 * @throws HttpError 400 if there are none or one is invalid
 */
export function readMessages(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidRequest('`messages` must be an array of messages.')
  return messages.map(readMessage)
}

/**
 * Finds the run that a conversation continues: the run that sent this client the calls whose results are at the
 * conversation's end. Undefined if there is no such run or the conversation was changed; the request then starts a new
 * run. `stored` returns the conversation, with its files as artifacts.
 */
export async function resumeFromMessages(
  messages: readonly Message[],
  find: (callId: string) => Promise<FoundRun | undefined>,
  stored: (found: FoundRun) => Promise<readonly Message[]>,
): Promise<{ readonly found: FoundRun; readonly decisions: Decisions } | undefined> {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(lastReply + 1)
  const [first] = results
  if (first?.role !== 'tool' || results.some(({ role }) => role !== 'tool')) return undefined
  const found = await find(first.tool_call_id)
  if (!found) return undefined
  const { asked, messages: known } = askedIn(found)
  const conversation = (await stored(found)).slice(0, lastReply + 1)
  if (!isSameConversation(conversation, known, asked)) return undefined
  // Take each decision's kind from the pending call, not from the client's copy of it.
  const calls = new Map(asked.map((call) => [call.callId, call]))
  const decisions = results.flatMap((message) => {
    const call = message.role === 'tool' ? calls.get(message.tool_call_id) : undefined
    if (message.role !== 'tool' || !call) return []
    return [[message.tool_call_id, toDecision(message.content, call)] as const]
  })
  return decisions.length > 0 ? { found, decisions: Object.fromEntries(decisions) } : undefined
}

/**
 * Returns the run's last question to its client and the messages before it, even if the question has been answered
 * since.
 */
function askedIn({ record }: FoundRun): Pick<Segment, 'asked'> & Pick<RunState, 'messages'> {
  const { waits, segments, state } = record
  const { messages = [] } = state ?? {}
  const asked = Object.values(waits).map(({ call }) => call)
  const last = segments.at(-1)
  return waitingCalls(record).length > 0 || !last
    ? { asked, messages }
    : { asked: last.asked, messages: messages.slice(0, last.before.messages) }
}

/**
 * Whether the user messages and the pending calls are the same. Comparing call ids is not enough: some models reuse
 * them, and an approval applies only to the call that the client was shown.
 */
function isSameConversation(
  messages: readonly Message[],
  known: readonly Message[],
  asked: readonly PendingCall[],
): boolean {
  const userMessages = (all: readonly Message[]) => JSON.stringify(all.filter(({ role }) => role === 'user'))
  const handed = (calls: readonly ToolCall[]) =>
    JSON.stringify(calls.map(({ id, function: { name, arguments: args } }) => [id, name, args]))
  const isAsked = handed(callsOf(messages.at(-1))) === handed(toToolCalls(asked))
  return isAsked && userMessages(messages) === userMessages(known)
}

/**
 * Parses the reply to an approval request. A word such as `yes` or `approved` approves the call. Any other text denies
 * the call and becomes the reason. A question is answered with a JSON object or, if it has a URL to open, with such a
 * word.
 */
function toDecision(content: string, { kind, url }: PendingCall): Decision {
  if (kind === 'result') return { type: 'result', value: content }
  const text = content.trim()
  const value = kind === 'input' && url === undefined ? tryJson(text) : undefined
  if (isRecord(value)) return { type: 'result', value }
  if (/^"?(approved?|yes|true|ok)"?\.?$/i.test(text))
    return kind === 'input' ? { type: 'result', value: null } : { type: 'approve' }
  return { type: 'deny', reason: text === '' ? 'no reason was given' : text.slice(0, 1000) }
}
