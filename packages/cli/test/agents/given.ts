import { Agent, type ChatModel, type ToolContext, tool } from '@capstan/core'
import * as z from 'zod'

/** Repeats the last user message. */
const repeating: ChatModel = {
  name: 'repeating',
  async complete({ messages }) {
    const content = String(messages.findLast(({ role }) => role === 'user')?.content)
    return { message: { role: 'assistant', content }, finishReason: 'stop' }
  },
}

const sign = tool({
  name: 'sign',
  description: 'Leaves a sign that its user was here',
  parameters: z.object({}),
  execute: (_args, { context, artifacts }: ToolContext<{ readonly user: string }>) =>
    artifacts.put(new TextEncoder().encode(`${context.user} was here`), {
      kind: 'text',
      mediaType: 'text/plain',
    }),
})

const signing: ChatModel = {
  name: 'signing',
  async complete({ messages }) {
    const said = String(messages.find(({ role }) => role === 'user')?.content)
    if (messages.at(-1)?.role === 'tool')
      return { message: { role: 'assistant', content: said.split('\n').at(-1) ?? '' }, finishReason: 'stop' }
    const call = { id: 'call_1', type: 'function', function: { name: 'sign', arguments: '{}' } } as const
    return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
  },
}

const forming: ChatModel = {
  name: 'forming',
  async complete() {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'final_answer', arguments: '{"city":"Oslo"}' },
    } as const
    return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
  },
}

export default new Agent({ model: signing, tools: [sign] })
export const parrot = new Agent({ model: repeating })
export const former = new Agent({ model: forming, output: z.object({ city: z.string() }) })
