import type { ChatModel } from '@capstan/core'

/** A model that makes these calls, one per reply, and ends. */
export function calling(...calls: readonly { name: string; arguments: object }[]): ChatModel {
  let turn = 0
  return {
    name: 'scripted',
    async complete() {
      const call = calls[turn++]
      if (!call) return { message: { role: 'assistant', content: 'Done.' }, finishReason: 'stop' }
      const named = { name: call.name, arguments: JSON.stringify(call.arguments) }
      const made = { id: `c${turn}`, type: 'function' as const, function: named }
      return { message: { role: 'assistant', content: '', tool_calls: [made] }, finishReason: 'tool_calls' }
    },
  }
}
