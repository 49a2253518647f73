import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Agent, chatModel, jsonSchema, tool } from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'

const start = {
  chat: { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  responses: { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
  messages: { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
}
const reasoning = { type: 'reasoning', id: 'rs', summary: [] }
const beginnings = [
  ['chat', 'nothing', [start.chat]],
  ['chat', 'white space', [start.chat, { choices: [{ index: 0, delta: { content: ' \n' } }] }]],
  ['chat', 'reasoning', [{ choices: [{ index: 0, delta: { reasoning_content: 'I should look' } }] }]],
  [
    'responses',
    'reasoning',
    [
      start.responses,
      { type: 'response.output_item.added', output_index: 0, item: reasoning },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'I should' },
    ],
  ],
  [
    'messages',
    'an empty block',
    [start.messages, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
  ],
  [
    'messages',
    'reasoning',
    [
      start.messages,
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'I should' } },
    ],
  ],
] as const

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: jsonSchema({ type: 'object' }),
  execute: () => 'seen',
})
const models = { chat: chatModel, responses: responsesModel, messages: messagesModel }
const bodies = {
  chat: [
    { choices: [{ message: { tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] } }] },
    { choices: [{ message: { content: 'Seen.' } }] },
  ],
  responses: [
    { output: [{ type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }] },
    { output: [{ type: 'message', content: [{ type: 'output_text', text: 'Seen.' }] }] },
  ],
  messages: [
    { content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }], stop_reason: 'tool_use' },
    { content: [{ type: 'text', text: 'Seen.' }], stop_reason: 'end_turn' },
  ],
}

test.each(beginnings)(
  'a stream of %s that ends after %s is requested again, with its tools',
  async (protocol, _what, events) => {
    const offered: boolean[] = []
    const answers = [events, ...bodies[protocol]]
    const server = createServer(async (request, response) => {
      const body = JSON.parse((await request.toArray()).join(''))
      offered.push(body.tools?.length > 0)
      const answer = answers[offered.length - 1]
      if (Array.isArray(answer)) for (const one of answer) response.write(`data: ${JSON.stringify(one)}\n\n`)
      response.end(Array.isArray(answer) ? '' : JSON.stringify(answer))
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as AddressInfo
    const model = models[protocol]('m', {
      baseURL: `http://127.0.0.1:${port}/v1`,
      apiKey: 'k',
      maxRetries: 1,
    })
    const { text, toolCalls, incomplete } = await new Agent({ model, tools: [look] }).stream('Look.').result
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    expect({ text, incomplete, called: toolCalls.length, offered }).toEqual({
      text: 'Seen.',
      incomplete: undefined,
      called: 1,
      offered: [true, true, true],
    })
  },
)
