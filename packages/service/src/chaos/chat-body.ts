// The parts of a chat answer that quirks bend; everything else in it stays as it is.

export interface ChatBody {
  choices: Choice[]
}

export interface Choice {
  message?: Message
  delta?: Message
  finish_reason?: unknown
}

export interface Message {
  role?: unknown
  content?: unknown
  tool_calls?: Call[]
}

export interface Call {
  index?: unknown
  id?: unknown
  type?: unknown
  function: { name?: unknown; arguments?: unknown }
}

/** Whether a value is a chat answer or a chunk of one. */
export function isChatBody(value: unknown): value is ChatBody {
  return typeof value === 'object' && value !== null && 'choices' in value && Array.isArray(value.choices)
}

/** The messages, or pieces of them, in an answer. */
export function messagesOf({ choices }: ChatBody): Message[] {
  return choices.flatMap(({ message, delta }) => message ?? delta ?? [])
}

/** The calls, or pieces of them, in an answer. */
export function callsOf(body: ChatBody): Call[] {
  return messagesOf(body).flatMap(({ tool_calls }) => tool_calls ?? [])
}
