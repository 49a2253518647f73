import type { ClientCall, ClientMessage } from './peer.js'

/** Messages as `useChat` sends them. */
export function toUIMessages(messages: readonly ClientMessage[]): object[] {
  return messages.map((message, index) => {
    const id = `message_${index}`
    if (message.role === 'call') {
      const { call } = message
      const common = { type: `tool-${call.name}`, toolCallId: call.id, input: call.arguments }
      return { id, role: 'assistant', parts: [{ ...common, ...stateOf(call) }] }
    }
    if (message.role === 'system' && message.isPlain) return { id, role: 'system', content: message.text }
    const text = { type: 'text', text: message.text }
    if (!('url' in message)) return { id, role: message.role, parts: [text] }
    return {
      id,
      role: 'user',
      parts: [text, { type: 'file', url: message.url, mediaType: message.mediaType }],
    }
  })
}

/** What a page says about a call. */
function stateOf(call: ClientCall): object {
  if (call.open) return { state: 'input-available' }
  if (call.result !== undefined) return { state: 'output-available', output: call.result }
  return { state: 'approval-responded', approval: { id: 'approval_1', approved: true } }
}
