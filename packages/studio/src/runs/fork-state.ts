import type { Message, RunState } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { callsOf, isRecord } from '@capstan/core/internal'
import type { ForkRequest } from '../types.js'

type MessageChange = NonNullable<ForkRequest['messages']>[number]

/**
 * Returns a copy of a state with changed messages, from which a new run can start. Omits the messages after the last
 * changed one. If the last changed message is a result, keeps the other results of its step, so that none of the step's
 * calls runs again.
 * @throws CapstanError `invalid_request` for a message that does not exist
 */
export function forkState(state: RunState, changes: readonly MessageChange[] = []): RunState {
  const { stopReason: _, limit: __, output: ___, extra: ____, decisions: _____, ...kept } = state
  if (changes.length === 0) return kept
  const messages = changes.reduce<readonly Message[]>(changeMessage, state.messages)
  const last = Math.max(...changes.map(({ index }) => index))
  const cut = withoutLeftOut(messages.slice(0, endOf(messages, last)), changes)
  const removed = state.messages.slice(cut.length).filter(({ role }) => role === 'assistant').length
  // The kept messages can contain untrusted text. Because `taintedBy` is kept too, the fork asks for approval as the
  // run would.
  const { reply: _r, children: _c, approved: _a, warnings: _w, ...bare } = kept
  return {
    ...bare,
    messages: cut,
    results: {},
    pending: [],
    stepCount: Math.max(0, state.stepCount - removed),
    flags: {},
    kept: {},
  }
}

/**
 * Returns how many messages to keep so that this message is the last. For a result, also keeps the other results of its
 * step.
 */
function endOf(messages: readonly Message[], last: number): number {
  let end = last + 1
  if (messages[last]?.role === 'tool') while (messages[end]?.role === 'tool') end += 1
  return end
}

function changeMessage(messages: readonly Message[], change: MessageChange): readonly Message[] {
  const message = messages[change.index]
  if (!message) {
    const text = `Message ${change.index} does not exist. The state has ${messages.length} messages, numbered from 0.`
    throw new CapstanError('invalid_request', text, { evidence: { index: change.index } })
  }
  return messages.with(change.index, changed(message, change))
}

function changed(message: Message, { content, calls = [] }: MessageChange): Message {
  const edited = content === undefined ? message : ({ ...message, content } as Message)
  if (edited.role !== 'assistant' || calls.length === 0) return edited
  const byId = new Map(calls.map((call) => [call.callId, call]))
  const toolCalls = callsOf(edited).flatMap((call) => {
    const change = byId.get(call.id)
    if (change?.isLeftOut) return []
    if (change?.arguments === undefined) return [call]
    return [{ ...call, function: { ...call.function, arguments: change.arguments } }]
  })
  const { tool_calls: _, ...plain } = edited
  return toolCalls.length > 0
    ? { ...plain, tool_calls: toolCalls }
    : { ...plain, content: plain.content ?? '' }
}

/** Removes the results of calls that the changes remove. */
function withoutLeftOut(messages: readonly Message[], changes: readonly MessageChange[]): Message[] {
  const gone = new Set(
    changes.flatMap(({ calls = [] }) => calls.filter((call) => call.isLeftOut).map(({ callId }) => callId)),
  )
  return messages.filter((message) => message.role !== 'tool' || !gone.has(message.tool_call_id))
}

/**
 * Describes what a fork changes, such as `result of get_weather, model`. Returns `nothing` if the fork changes nothing.
 */
export function describeChange(state: RunState, { messages = [] }: ForkRequest, further: object): string {
  const changes = messages.map(({ index, calls = [] }) => {
    const message = state.messages[index]
    if (message?.role === 'tool') return `result of ${toolOf(state.messages, message.tool_call_id)}`
    if (message?.role === 'user') return 'prompt'
    return calls.length > 0 ? 'arguments' : 'reply'
  })
  const options = ['instructions', 'model', 'settings', 'limits'].filter(
    (name) => isRecord(further) && further[name] !== undefined,
  )
  return [...changes, ...options].join(', ') || 'nothing'
}

function toolOf(messages: readonly Message[], callId: string): string {
  const calls = messages.flatMap((message) => callsOf(message))
  return calls.find(({ id }) => id === callId)?.function.name ?? 'a call'
}
