import type { ChatMessage, MessageCall } from '../plan/chat-message.js'
import { isRecord } from '../record.js'
import { checkAnswers } from './chat-answers.js'
import type { MessageContent } from './chat-content.js'
import { invalidMessage as invalid, parseContent } from './chat-content.js'

/** Checks a request's `messages`; 400 `invalid_messages` names the one at fault and says what it should be. */
export function parseMessages(messages: unknown): ChatMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', 'must be an array of at least one message')
  }
  const parsed = messages.map(parseMessage)
  checkAnswers(parsed)
  return parsed
}

function parseMessage(message: unknown, index: number): ChatMessage {
  const at = `messages[${index}]`
  if (!isRecord(message)) throw invalid(at, 'must be an object with a role')
  const content = parseContent(message.content, `${at}.content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: required(content, at).text }
    case 'user':
      return { role: 'user', ...required(content, at) }
    case 'assistant':
      return parseAssistant(message, content?.text, index)
    case 'tool':
      if (typeof message.tool_call_id === 'string')
        return { role: 'tool', text: required(content, at).text, callId: message.tool_call_id }
      throw invalid(`${at}.tool_call_id`, 'must be the id of the tool call this message answers')
    case 'function':
      return { role: 'tool', text: required(content, at).text, callId: oldCallId(index - 1) }
    default:
      throw invalid(`${at}.role`, 'must be one of system, developer, user, assistant, tool, function')
  }
}

function parseAssistant(
  message: Readonly<Record<string, unknown>>,
  text: string | undefined,
  index: number,
): ChatMessage {
  const at = `messages[${index}]`
  const { tool_calls: calls, function_call: old } = message
  if (old !== undefined && old !== null) {
    return {
      role: 'assistant',
      text: text ?? '',
      calls: [parseFunction(old, oldCallId(index), `${at}.function_call`)],
    }
  }
  if (calls === undefined || calls === null) {
    const said = text ?? (typeof message.refusal === 'string' ? message.refusal : undefined)
    return {
      role: 'assistant',
      text: required(said === undefined ? undefined : { text: said }, at).text,
      calls: [],
    }
  }
  if (!Array.isArray(calls) || calls.length === 0) {
    throw invalid(
      `${at}.tool_calls`,
      'must be an array of at least one call; leave it out when there is none',
    )
  }
  return {
    role: 'assistant',
    text: text ?? '',
    calls: calls.map((call, place) => parseCall(call, `${at}.tool_calls[${place}]`)),
  }
}

// Calls had no ids when there were only functions: the message behind one answers it.
function oldCallId(index: number): string {
  return `function_call_${index}`
}

function parseCall(call: unknown, at: string): MessageCall {
  if (!isRecord(call)) throw invalid(at, 'must be an object with id, type and function')
  if (typeof call.id !== 'string' || call.id === '')
    throw invalid(`${at}.id`, 'must be a string that is not empty')
  if (call.type !== 'function') throw invalid(`${at}.type`, 'must be "function"')
  return parseFunction(call.function, call.id, `${at}.function`)
}

function parseFunction(called: unknown, id: string, at: string): MessageCall {
  const { name, arguments: args } = isRecord(called) ? called : {}
  if (typeof name !== 'string' || name === '') throw invalid(`${at}.name`, 'must be the name of the function')
  if (typeof args !== 'string') throw invalid(`${at}.arguments`, 'must be a string of JSON')
  return { id, name, arguments: args }
}

function required(content: MessageContent | undefined, at: string): MessageContent {
  if (content === undefined)
    throw invalid(
      `${at}.content`,
      'is missing; only an assistant message with tool_calls or a refusal goes without',
    )
  return content
}
