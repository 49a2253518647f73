import type { ChatMessage } from '../plan/chat-message.js'
import { invalidMessage as invalid } from './chat-content.js'

/** Checks that every call is answered by one tool message right behind it, and every tool message answers one call. */
export function checkAnswers(messages: readonly ChatMessage[]): void {
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
