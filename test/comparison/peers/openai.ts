import OpenAI from 'openai'
import { zodFunction } from 'openai/helpers/zod'
import type { Input, Opened, Peer, Setup } from '../peer.js'

/** `runTools` of the client of OpenAI, which has no approvals. */
export const peer: Peer = {
  name: 'openai',
  features: [],
  open(setup) {
    const client = new OpenAI({ baseURL: setup.baseURL, apiKey: setup.apiKey })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const messages = toMessages(input)
        const body = { model: 'scripted', messages: messages as never, tools: toolsOf(setup) as never }
        const options = signal ? { signal } : {}
        if (!onText) return { text: await client.chat.completions.runTools(body, options).finalContent() }
        const runner = client.chat.completions.runTools({ ...body, stream: true }, options)
        runner.on('content', (text) => onText(text))
        return { text: await runner.finalContent() }
      },
    }
    return opened
  },
}

function toMessages(input: Input): object[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return input.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    const { id, name, arguments: given } = message.call
    const called = { name, arguments: JSON.stringify(given) }
    return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] }
  })
}

function toolsOf({ tools }: Setup) {
  return tools.map(({ name, description, parameters, execute }) =>
    zodFunction({
      name,
      description,
      parameters,
      function: (args: object) => execute(args as Record<string, unknown>) as never,
    }),
  )
}
