import type { Decision, Message, PendingCall, RunState, ToolCall } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import { readMessage } from '../client-messages.js'
import { invalidRequest } from '../http-error.js'
import { askingState, type PendingRun } from '../pending-runs.js'
import { toToolCalls } from '../reply-encoder.js'
import { type ResumedRun, resumeWith } from '../resume-run.js'

/**
 * Returns the messages of a chat request.
 * @throws HttpError 400 for messages that are not valid
 */
export function readMessages(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidRequest('`messages` must be an array of messages.')
  return messages.map(readMessage)
}

/**
 * Finds the pending run that a conversation continues: it ends in results of calls that were sent to this
 * client. `undefined` if there is no such run or the conversation was changed; it is then treated as a new
 * one. `stored` returns the messages as the run has them, their files being artifacts.
 */
export async function resumeFromMessages(
  messages: readonly Message[],
  runs: { find(callId: string): PendingRun | undefined },
  stored: (run: PendingRun) => Promise<readonly Message[]>,
): Promise<ResumedRun | undefined> {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(lastReply + 1)
  const [first] = results
  if (first?.role !== 'tool' || results.some(({ role }) => role !== 'tool')) return undefined
  const pendingRun = runs.find(first.tool_call_id)
  if (!pendingRun) return undefined
  const conversation = (await stored(pendingRun)).slice(0, lastReply + 1)
  if (!isSameConversation(conversation, askingState(pendingRun))) return undefined
  // The pending calls determine the kind of decision, not the client's copy of them.
  const kinds = new Map(askingState(pendingRun).pending.map(({ callId, kind }) => [callId, kind]))
  const decisions = results.flatMap((message) => {
    const kind = message.role === 'tool' ? kinds.get(message.tool_call_id) : undefined
    if (message.role !== 'tool' || !kind) return []
    return [[message.tool_call_id, toDecision(message.content, kind)] as const]
  })
  return resumeWith(pendingRun, Object.fromEntries(decisions))
}

/**
 * Compares the user messages and the pending calls. Some models reuse call ids, and an approval counts only
 * for the call that the client was shown.
 */
function isSameConversation(messages: readonly Message[], state: RunState): boolean {
  const userMessages = (all: readonly Message[]) => JSON.stringify(all.filter(({ role }) => role === 'user'))
  const handed = (calls: readonly ToolCall[]) =>
    JSON.stringify(calls.map(({ id, function: { name, arguments: args } }) => [id, name, args]))
  const isAsked = handed(callsOf(messages.at(-1))) === handed(toToolCalls(state.pending))
  return isAsked && userMessages(messages) === userMessages(state.messages)
}

/**
 * Parses the reply to an approval request: an approving word approves, any other text denies and is the
 * reason.
 */
function toDecision(content: string, kind: PendingCall['kind']): Decision {
  if (kind === 'result') return { type: 'result', value: content }
  const text = content.trim()
  if (/^"?(approved?|yes|true|ok)"?\.?$/i.test(text)) return { type: 'approve' }
  return { type: 'deny', reason: text === '' ? 'no reason was given' : text.slice(0, 1000) }
}
