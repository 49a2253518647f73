// Agents that prove-runtimes.ts asks in Bun, Deno, workerd and Next.
import {
  Agent,
  chatModel,
  jsonSchema,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  tool,
} from '@capstan/core'
import { upstream } from './upstream.js'

const record = tool({
  name: 'record',
  description: 'Records',
  parameters: jsonSchema({ type: 'object', properties: {} }),
  execute: (_, { artifacts }) =>
    artifacts.put(
      new Uint8Array(1000).map((_, at) => at),
      { kind: 'audio', mediaType: 'audio/mpeg' },
    ),
})

/**
 * Makes a call if the input is `Record.`; otherwise streams one word, and another when the upstream server
 * allows it.
 */
const model = {
  name: 'halting',
  async complete({ messages, signal }: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
    const last = messages.at(-1)
    if (last?.role === 'user' && last.content === 'Record.') {
      const called = {
        id: 'call_1',
        type: 'function',
        function: { name: 'record', arguments: '{}' },
      } as const
      return { message: { role: 'assistant', content: null, tool_calls: [called] } }
    }
    sink?.({ type: 'text', text: 'First' })
    if (last?.role === 'user') await fetch(`${upstream}/gate`, { signal })
    return { message: { role: 'assistant', content: 'First, then last.' } }
  },
}

export const helper = new Agent({ name: 'helper', model, tools: [record] })

/** Over the wire, as nearly all are. */
export const relay = new Agent({
  name: 'relay',
  model: chatModel('upstream', { baseURL: `${upstream}/v1`, apiKey: 'sk-upstream', maxRetries: 0 }),
})
