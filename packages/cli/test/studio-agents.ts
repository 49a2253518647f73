/** An agent whose model replies with calls to the first `calls` requests, then with text. */
export const agentSource = (body = '') => `
import { Agent, tool } from '@capstan/core'
import { scriptedModel, reply } from '@capstan/testing'
import * as z from 'zod'

/** Makes the call in the user's message ("call NAME JSON"). Repeats any other message. */
const model = {
  name: 'obedient',
  async complete({ messages }, sink) {
    const last = messages.at(-1)
    const text = typeof last.content === 'string' ? last.content : JSON.stringify(last.content)
    const [, name, json] = /^call (\\w+) ?(.*)/s.exec(text) ?? []
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 }
    if (last.role === 'user' && name) {
      const call = { id: 'call_' + messages.length, type: 'function', function: { name, arguments: json || '{}' } }
      return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls', usage }
    }
    const content = 'Read: ' + text
    sink?.({ type: 'text', text: content })
    return { message: { role: 'assistant', content }, finishReason: 'stop', usage }
  },
}

const get_weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('The city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: 7 }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number().describe('In euros') }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})
const ask_user = tool({
  name: 'ask_user',
  description: 'Asks the user something',
  parameters: z.object({ question: z.string().describe('The question') }),
})
const quit = tool({
  name: 'quit',
  description: 'Ends the process',
  parameters: z.object({}),
  execute: () => {
    console.error('the end is near')
    process.exit(3)
  },
})
const throw_later = tool({
  name: 'throw_later',
  description: 'Throws outside of a promise',
  parameters: z.object({}),
  execute: () => new Promise(() => setTimeout(() => { throw new Error('thrown outside') })),
})
const block = tool({
  name: 'block',
  description: 'Blocks for ever',
  parameters: z.object({}),
  execute: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
})
const wait = tool({
  name: 'wait',
  description: 'Waits until the run is stopped',
  parameters: z.object({}),
  effects: 'read',
  execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
})

export default new Agent({ name: 'helper', model, tools: [get_weather, pay, ask_user, quit, throw_later, block, wait] })
${body}
`
