import { Agent, type ChatModel, jsonSchema, tool } from '@capstan/core'
import { deferred } from '@capstan/tools/search'

const named = (name: string, description: string) =>
  tool({ name, description, parameters: jsonSchema({ type: 'object', properties: {} }), execute: () => name })

const calls = [
  { name: 'find_tools', arguments: '{"query":"mail"}' },
  { name: 'send_mail', arguments: '{}' },
]

/**
 * A model that finds a tool, calls it, and replies with the tools in its last request. It chooses its reply by the
 * length of the conversation.
 */
const model: ChatModel = {
  name: 'm',
  async complete({ messages, tools }) {
    const tokens = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const at = messages.filter(({ role }) => role === 'assistant').length
    const call = calls[at]
    const names = tools.map((one) => one.function.name).join(', ')
    if (!call) return { message: { role: 'assistant', content: `Offered: ${names}.` }, tokens }
    const made = { id: `c${at}`, type: 'function' as const, function: call }
    return { message: { role: 'assistant', content: null, tool_calls: [made] }, tokens }
  },
}

/** An agent that finds one of two deferred tools. */
export const finder = new Agent({
  name: 'finder',
  model,
  tools: [
    named('look', 'Looks'),
    deferred([named('send_mail', 'Sends a mail'), named('set_lamp', 'Switches a lamp')]),
  ],
})

/** The final reply. */
export const found = 'Offered: look, find_tools, send_mail.'
