import { notRun } from '../answer/refusals.js'
import { CapstanError } from '../words/error.js'
import { callsOf, type Message, type ToolCall, type ToolMessage } from '../words/message.js'

/** Calls that were never answered and are followed by other messages are closed as not run; the last may stay open. */
export function closeOpenCalls(messages: readonly Message[]): Message[] {
  const closed: Message[] = []
  let open: ToolCall[] = []
  for (const [position, message] of messages.entries()) {
    if (message.role === 'tool') open = withoutAnswered(open, message, position)
    else for (const call of open.splice(0)) closed.push(toNotRun(call))
    closed.push(toFixed(message))
    if (message.role === 'assistant') open = [...callsOf(message)]
  }
  // Some of the last calls are answered: the rest cannot go on alone, a turn is answered as a whole.
  if (closed.at(-1)?.role === 'tool') for (const call of open) closed.push(toNotRun(call))
  return closed
}

/** A message is written to JSON once, so what the caller may still change is copied. */
export function toFixed(message: Message): Message {
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
