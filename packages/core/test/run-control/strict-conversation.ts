import { callsOf, type Message, textOf } from '../../src/types/message.js'

/**
 * What a server that takes nothing on trust finds wrong with a conversation, in words; `[]` for a good one. A request
 * must not end in an answer of the model.
 */
export function strictConversation(
  messages: readonly Message[],
  { isRequest = true }: { readonly isRequest?: boolean } = {},
): string[] {
  const faults: string[] = []
  const ids = new Set<string>()
  let open = new Set<string>()
  for (const [position, message] of messages.entries()) {
    const at = (what: string) => faults.push(`messages[${position}] (${message.role}) ${what}`)
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) at(`answers "${message.tool_call_id}", which is not open`)
      if (typeof message.content !== 'string') at('has no text')
      continue
    }
    if (open.size > 0) at(`comes while calls are open: ${[...open].join(', ')}`)
    open = new Set()
    if (message.role === 'system' && position > 0) at('is not the first')
    if (message.role === 'user' && textOf(message.content).trim() === '') at('is empty')
    if (message.role !== 'assistant') continue
    if (position === 0 || messages[position - 1]?.role === 'system') at('answers nothing')
    if (messages[position - 1]?.role === 'assistant') at('follows another answer')
    if (message.tool_calls?.length === 0) at('has an empty list of calls')
    if (callsOf(message).length === 0 && typeof message.content !== 'string' && !message.refusal)
      at('says nothing and calls nothing')
    for (const { id, type, function: called } of callsOf(message)) {
      if (id.trim() === '' || ids.has(id)) at(`has an id that is empty or taken: "${id}"`)
      if (type !== 'function') at(`has a call of the type ${type}`)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(called.name)) at(`calls a tool without a name: "${called.name}"`)
      if (!isObject(called.arguments)) at(`has arguments that are no JSON object: ${called.arguments}`)
      ids.add(id)
      open.add(id)
    }
  }
  if (open.size > 0) faults.push(`the conversation ends while calls are open: ${[...open].join(', ')}`)
  if (messages.length === 0) faults.push('the conversation is empty')
  if (isRequest && messages.at(-1)?.role === 'assistant') faults.push('the conversation ends in an answer')
  return faults
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
