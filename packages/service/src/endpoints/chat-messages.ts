import { ServiceError } from '../http/service-error.js'
import type { ChatMessage, MessageCall } from '../plan/chat-message.js'
import { isRecord } from '../record.js'

/** Checks a request's `messages`; 400 `invalid_messages` names the one at fault and says what it should be. */
export function parseMessages(messages: unknown): ChatMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', 'must be an array of at least one message')
  }
  const parsed = messages.map((message, index) => parseMessage(message, `messages[${index}]`))
  checkAnswers(parsed)
  return parsed
}

function parseMessage(message: unknown, at: string): ChatMessage {
  if (!isRecord(message)) throw invalid(at, 'must be an object with a role')
  const text = parseContent(message.content, `${at}.content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: required(text, at) }
    case 'user':
      return { role: 'user', text: required(text, at) }
    case 'assistant':
      return parseAssistant(message, text, at)
    case 'tool':
      if (typeof message.tool_call_id === 'string')
        return { role: 'tool', text: required(text, at), callId: message.tool_call_id }
      throw invalid(`${at}.tool_call_id`, 'must be the id of the tool call this message answers')
    default:
      throw invalid(`${at}.role`, 'must be one of system, developer, user, assistant, tool')
  }
}

function parseAssistant(
  message: Readonly<Record<string, unknown>>,
  text: string | undefined,
  at: string,
): ChatMessage {
  const { tool_calls: calls } = message
  if (calls === undefined || calls === null) return { role: 'assistant', text: required(text, at), calls: [] }
  if (!Array.isArray(calls) || calls.length === 0) {
    throw invalid(
      `${at}.tool_calls`,
      'must be an array of at least one call; leave it out when there is none',
    )
  }
  return {
    role: 'assistant',
    text: text ?? '',
    calls: calls.map((call, index) => parseCall(call, `${at}.tool_calls[${index}]`)),
  }
}

function parseCall(call: unknown, at: string): MessageCall {
  if (!isRecord(call)) throw invalid(at, 'must be an object with id, type and function')
  if (typeof call.id !== 'string' || call.id === '')
    throw invalid(`${at}.id`, 'must be a string that is not empty')
  if (call.type !== 'function') throw invalid(`${at}.type`, 'must be "function"')
  const { name, arguments: args } = isRecord(call.function) ? call.function : {}
  if (typeof name !== 'string' || name === '')
    throw invalid(`${at}.function.name`, 'must be the name of the function')
  if (typeof args !== 'string') throw invalid(`${at}.function.arguments`, 'must be a string of JSON')
  return { id: call.id, name, arguments: args }
}

// Text parts are joined; pictures in a message are accepted, and nobody here can see them.
function parseContent(content: unknown, at: string): string | undefined {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(at, 'must be a string, null or an array of parts')
  return content.flatMap((part, index) => parsePart(part, `${at}[${index}]`)).join('\n')
}

function parsePart(part: unknown, at: string): string[] {
  if (isRecord(part) && part.type === 'text' && typeof part.text === 'string') return [part.text]
  if (isRecord(part) && part.type === 'image_url') return []
  throw invalid(at, 'must be {"type": "text", "text": "..."} or an image_url part')
}

function required(text: string | undefined, at: string): string {
  if (text === undefined)
    throw invalid(`${at}.content`, 'is missing; only an assistant message with tool_calls goes without')
  return text
}

// Every call is answered by one tool message right behind it, and every tool message answers one call.
function checkAnswers(messages: readonly ChatMessage[]): void {
  let open = new Set<string>()
  let asked = 0
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.callId)) continue
      throw invalid(
        `messages[${index}].tool_call_id`,
        `answers "${message.callId}", but no call with that id is open there: a tool message follows the assistant message with its call, once for each call`,
      )
    }
    checkNoneOpen(open, asked)
    if (message.role !== 'assistant') continue
    open = new Set(message.calls.map(({ id }) => id))
    asked = index
    if (open.size < message.calls.length)
      throw invalid(`messages[${index}].tool_calls`, 'has two calls with one id')
  }
  checkNoneOpen(open, asked)
}

function checkNoneOpen(open: ReadonlySet<string>, asked: number): void {
  if (open.size === 0) return
  const ids = [...open].join(', ')
  throw invalid(
    `messages[${asked}].tool_calls`,
    `is not answered in full: a tool message is missing behind it for ${ids}`,
  )
}

function invalid(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_messages', `${at} ${what}.`, at)
}
