import type { Decision, Message, PendingCall, RunState, ToolCall } from '@capstan/core'
import { callsOf, isRecord, textOf } from '@capstan/core/internal'
import { invalidRequest } from '../http-error.js'
import { askedBy, type ParkedRuns } from '../pending-runs.js'
import { type GoneOn, goneOnWith } from '../resume-run.js'
import { toToolCalls } from './response.js'

/** The messages of a chat request as a run takes them. @throws HttpError 400 for what is none */
export function toConversation(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidRequest('`messages` must be a list of messages.')
  return messages.map((message) => toMessage(message))
}

/** Newer names of roles, and texts in parts, are read as the older ones that every model knows. */
function toMessage(given: unknown): Message {
  if (!isRecord(given)) throw invalidRequest('A message must be an object.')
  const { role, content } = given
  if (role === 'developer') return toMessage({ ...given, role: 'system' })
  if ((role === 'system' || role === 'tool') && Array.isArray(content))
    return { ...given, content: textOf(content.filter(isRecord) as never) } as unknown as Message
  if (role === 'assistant' && content === undefined) return { ...given, content: null } as unknown as Message
  return given as unknown as Message
}

/**
 * The run that a conversation goes on with: it ends in results of calls that were handed to this caller. Undefined
 * where no such run is known, or the conversation was changed: then it is one like any other.
 */
export function goingOn(messages: readonly Message[], owner: string, runs: ParkedRuns): GoneOn | undefined {
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(asked + 1)
  const [first] = results
  if (first?.role !== 'tool' || results.some(({ role }) => role !== 'tool')) return undefined
  const parked = runs.find(owner, first.tool_call_id)
  if (!parked || !isSame(messages.slice(0, asked + 1), askedBy(parked))) return undefined
  // What kind of answer it is follows from what was asked, not from what the caller says was asked.
  const kinds = new Map(askedBy(parked).pending.map(({ callId, kind }) => [callId, kind]))
  const decisions = results.flatMap((message) => {
    const kind = message.role === 'tool' ? kinds.get(message.tool_call_id) : undefined
    if (message.role !== 'tool' || !kind) return []
    return [[message.tool_call_id, toDecision(message.content, kind)] as const]
  })
  return goneOnWith(parked, Object.fromEntries(decisions))
}

/**
 * What users said is compared, and the calls that were handed out with it: some models call their calls alike in every
 * run, and a yes is for what was looked at.
 */
function isSame(messages: readonly Message[], state: RunState): boolean {
  const said = (all: readonly Message[]) => JSON.stringify(all.filter(({ role }) => role === 'user'))
  const handed = (calls: readonly ToolCall[]) =>
    JSON.stringify(calls.map(({ id, function: { name, arguments: args } }) => [id, name, args]))
  const isAsked = handed(callsOf(messages.at(-1))) === handed(toToolCalls(state.pending))
  return isAsked && said(messages) === said(state.messages)
}

/** `approve`, also with other arguments as JSON; anything else that is said to a question is a no, and its reason. */
function toDecision(content: string, kind: PendingCall['kind']): Decision {
  if (kind === 'result') return { type: 'result', value: content }
  const said = content.trim()
  if (/^"?(approved?|yes|true|ok)"?\.?$/i.test(said)) return { type: 'approve' }
  return { type: 'deny', reason: said === '' ? 'no answer' : said.slice(0, 1000) }
}
