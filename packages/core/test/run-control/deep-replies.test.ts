import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Agent, jsonSchema, tool } from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'

const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
const text = {
  messages: '{"type":"text","text":"Hi."}',
  responses: '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}',
}
const cases = [
  ['messages', 'arguments', [`{"type":"tool_use","id":"c","name":"look","input":${deep}}`]],
  [
    'messages',
    'arguments for the server',
    [`{"type":"server_tool_use","id":"s","name":"web_search","input":${deep}}`, text.messages],
  ],
  ['messages', 'citations', [`{"type":"text","text":"Hi.","citations":[${deep}]}`]],
  [
    'responses',
    'arguments',
    [`{"type":"function_call","id":"f","call_id":"c","name":"look","arguments":${deep}}`],
  ],
  [
    'responses',
    'annotations',
    [
      `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi.","annotations":[${deep}]}]}`,
    ],
  ],
] as const

const models = { messages: messagesModel, responses: responsesModel }
const bodyOf = {
  messages: (parts: readonly string[], reason: string) =>
    `{"type":"message","role":"assistant","content":[${parts}],"stop_reason":"${reason}"}`,
  responses: (parts: readonly string[]) => `{"status":"completed","output":[${parts}]}`,
}
const streamOf = {
  messages: (parts: readonly string[], reason: string) => [
    '{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}',
    ...parts.map((part, index) => `{"type":"content_block_start","index":${index},"content_block":${part}}`),
    `{"type":"content_block_delta","index":9,"delta":{"type":"citations_delta","citation":${deep}}}`,
    `{"type":"message_delta","delta":{"stop_reason":"${reason}"}}`,
    '{"type":"message_stop"}',
  ],
  responses: (parts: readonly string[]) => [
    ...parts.map((part, n) => `{"type":"response.output_item.done","output_index":${n},"item":${part}}`),
    `{"type":"response.output_text.annotation.added","output_index":9,"annotation":${deep}}`,
    `{"type":"response.completed","response":{"status":"completed","output":[${parts}]}}`,
  ],
}

const all = cases.flatMap(([protocol, what, parts]) =>
  [true, false].map((streamed) => ({ protocol, what, parts, streamed })),
)

test.each(all)(
  'a reply of $protocol with $what of 20,000 levels is read, streamed: $streamed',
  async (one) => {
    const { protocol, parts, streamed } = one
    const isCall = one.what === 'arguments'
    const reason = isCall ? 'tool_use' : 'end_turn'
    let requests = 0
    const server = createServer(async (request, response) => {
      await request.toArray()
      if (requests++ > 0) response.end(bodyOf[protocol]([text[protocol]], 'end_turn'))
      else if (streamed) {
        response.end(
          streamOf[protocol](parts, reason)
            .map((event) => `data: ${event}\n\n`)
            .join(''),
        )
      } else response.end(bodyOf[protocol](parts, reason))
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const agent = new Agent({
      model: models[protocol]('m', { baseURL, apiKey: 'k', maxRetries: 0 }),
      tools: [look],
    })
    const result = await (streamed ? agent.stream('Look.').result : agent.run('Look.'))
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    expect(result).toMatchObject({ stopReason: 'done', text: 'Hi.' })
    expect(result.toolCalls.map(({ status }) => status)).toEqual(isCall ? ['rejected'] : [])
    if (isCall) expect(result.toolCalls[0]?.content).toContain('nested too deep')
    // The state can be stored.
    expect(JSON.stringify(result.state).length).toBeLessThan(10_000)
  },
)

const look = tool({
  name: 'look',
  description: 'Looks',
  effects: 'read',
  parameters: jsonSchema({ type: 'object' }),
  execute: () => expect.unreachable(),
})
