import { notRun } from '../answer/dispatch.js'
import { CapstanError } from '../words/error.js'
import { callsOf, type Message, type ToolCall, type ToolMessage } from '../words/message.js'
import type { Limits, RunState } from '../words/state.js'
import { noUsage } from '../words/usage.js'
import { openCalls, type Walk } from './walk.js'

/** What a run starts from: words, a conversation, or the state of a run to go on with. */
export type RunInput = string | readonly Message[] | RunState

export interface Beginning {
  readonly agent: string
  readonly definitionHash: string
  readonly runId: string
  readonly limits: Limits
}

/**
 * The walk of a run at its start. @throws CapstanError `invalid_request` for a conversation that no server
 * would take, `invalid_state` for a state that cannot be gone on with
 */
export function begin(input: RunInput, beginning: Beginning): Walk {
  const state = isState(input) ? resume(input, beginning) : start(input, beginning)
  const callIds = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  return { state, records: [], callIds }
}

/** Whether an input is the state of a run. */
export function isState(input: RunInput): input is RunState {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function start(
  input: string | readonly Message[],
  { agent, definitionHash, runId, limits }: Beginning,
): RunState {
  const messages = typeof input === 'string' ? toConversation(input) : closeOpenCalls(input)
  const fresh = {
    schema: 1,
    runId,
    agent,
    definitionHash,
    messages,
    answered: {},
    pending: [],
    flags: {},
  } as const
  const state: RunState = { ...fresh, messages, pending: [], turn: 0, usage: noUsage, limits }
  // A conversation that ends in open calls holds an answer of the model: the turn that is gone on with.
  return openCalls(state).length > 0 ? { ...state, turn: 1 } : state
}

function resume(state: RunState, { limits }: Beginning): RunState {
  if (state.schema !== 1 || !Array.isArray(state.messages) || typeof state.turn !== 'number') {
    const message =
      'This is no run state that can be gone on with: it must be the `state` of a result or an error.'
    throw new CapstanError('invalid_state', message, { evidence: { schema: state.schema } })
  }
  const { stopReason, limit, ...rest } = state
  if (stopReason === 'done') {
    const message =
      'This run is done. To go on talking, start a run with its messages and a new one: [...state.messages, { role: "user", content }].'
    throw new CapstanError('invalid_state', message, { evidence: { stopReason } })
  }
  return {
    ...rest,
    messages: closeOpenCalls(state.messages),
    answered: { ...state.answered },
    pending: [...state.pending],
    flags: { ...state.flags },
    limits,
  }
}

function toConversation(text: string): Message[] {
  if (text.trim() === '')
    throw new CapstanError('invalid_request', 'The input is empty. Say what the agent should do.')
  return [{ role: 'user', content: text }]
}

/** Calls that were never answered and are followed by other messages are closed as not run; the last may stay open. */
function closeOpenCalls(messages: readonly Message[]): Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new CapstanError('invalid_request', 'The conversation is empty. Give it text, or a message.')
  const closed: Message[] = []
  let open: ToolCall[] = []
  for (const [position, message] of messages.entries()) {
    if (message.role === 'tool') open = withoutAnswered(open, message, position)
    else closed.push(...open.splice(0).map(toNotRun))
    closed.push(toFixed(message))
    if (message.role === 'assistant') open = [...callsOf(message)]
  }
  // Some of the last calls are answered: the rest cannot go on alone, a turn is answered as a whole.
  if (closed.at(-1)?.role === 'tool') closed.push(...open.map(toNotRun))
  return closed
}

/** A message is written to JSON once, so what the caller may still change is copied. */
function toFixed(message: Message): Message {
  return Object.isFrozen(message) ? message : Object.freeze({ ...message })
}

function withoutAnswered(
  open: readonly ToolCall[],
  { tool_call_id }: ToolMessage,
  position: number,
): ToolCall[] {
  if (!open.some(({ id }) => id === tool_call_id)) {
    const message = `messages[${position}] answers the call "${tool_call_id}", which no message before it has open.`
    throw new CapstanError('invalid_request', message, { evidence: { position, tool_call_id } })
  }
  return open.filter(({ id }) => id !== tool_call_id)
}

function toNotRun({ id }: ToolCall): ToolMessage {
  return { role: 'tool', tool_call_id: id, content: notRun.content }
}
