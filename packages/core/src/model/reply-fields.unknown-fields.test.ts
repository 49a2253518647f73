import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Agent, type ChatModelOptions, chatModel, jsonSchema, type RunEvent, tool } from '../index.js'
import type { AssistantMessage } from '../types/message.js'
import { boundUnknownFields } from './reply-fields.js'

const deep = (levels: number, bottom: unknown = 1): unknown => {
  let value = bottom
  for (let at = 0; at < levels; at++) value = [value]
  return value
}
const mega = 2 ** 20
const plain = { role: 'assistant', content: 'Hi.' } as const
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const

test('keeps known server fields unchanged', () => {
  const message: AssistantMessage = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's'.repeat(mega) },
      { type: 'text', text: 'Hi.' },
    ],
    reasoning_content: 'r'.repeat(mega),
    reasoning_details: [{ type: 'reasoning.encrypted', data: 'e'.repeat(mega), nested: deep(90) }],
    images: [{ image_url: { url: `data:image/png;base64,${'A'.repeat(3 * mega)}` } }],
    refusal: null,
    tool_calls: [{ ...call, extra_content: { google: { thought_signature: 't'.repeat(mega) } } }],
  }
  expect(boundUnknownFields(message)).toEqual({ message, omitted: [] })
})

test('keeps a field of 100 levels and omits one of 101', () => {
  const fits = { ...plain, x: deep(100) }
  expect(boundUnknownFields(fits)).toEqual({ message: fits, omitted: [] })
  expect(boundUnknownFields({ ...plain, x: deep(101) })).toEqual({ message: plain, omitted: ['x'] })
})

test('keeps 8 MiB of fields in total, those of calls first', () => {
  const long = 'x'.repeat(5 * mega)
  const given = { ...plain, a: long, b: 'short', tool_calls: [{ ...call, signature: long }] }
  const { message, omitted } = boundUnknownFields(given)
  expect(omitted).toEqual(['a'])
  expect(message).toEqual({ ...plain, b: 'short', tool_calls: given.tool_calls })
})

test('counts names and reports a limited number of omitted fields', () => {
  const names = Array.from({ length: 12 }, (_, at) => `${'n'.repeat(mega)}${at}`)
  const { message, omitted } = boundUnknownFields({
    ...plain,
    ...Object.fromEntries(names.map((name) => [name, 1])),
  })
  expect(Object.keys(message)).toHaveLength(2 + 7)
  expect(omitted).toEqual(['n'.repeat(100)])
})

test('keeps only the text of a part that is too large', () => {
  const content = [
    { type: 'output_text', text: 'Hi.', annotations: deep(200) },
    { type: 'image', image: deep(200) },
    { type: 'text', text: '!' },
  ]
  expect(boundUnknownFields({ role: 'assistant', content })).toEqual({
    message: {
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'Hi.' },
        { type: 'text', text: '!' },
      ],
    },
    omitted: ['content.annotations', 'content.image'],
  })
  expect(boundUnknownFields({ role: 'assistant', content: content.slice(1, 2) }).message.content).toBe('')
})

test('counts no size for a field without a value', () => {
  const message = { ...plain, x: undefined }
  expect(boundUnknownFields(message)).toEqual({ message, omitted: [] })
})

test('changes no prototype', () => {
  const given = JSON.parse('{"role":"assistant","content":"","__proto__":{"x":1},"y":0}')
  expect(JSON.stringify(boundUnknownFields({ ...given, y: deep(200) }).message)).toBe(
    '{"role":"assistant","content":"","__proto__":{"x":1}}',
  )
})

/** 20,000 opening brackets and as many closing ones. */
const brackets = '['.repeat(20_000) + ']'.repeat(20_000)
const toolCall = (extra: string) =>
  `[{"index":0,"id":"a","type":"function","function":{"name":"note","arguments":"{}"}${extra}}]`
const inner = `[{"index":0,"id":"a","type":"function","function":{"name":"note","arguments":"{}","x":${brackets}}}]`

/** Fields of a message, and what is told to be left out of it. */
const hostile: [string, string, string[]][] = [
  ['the message', `"content":"Hi.","x":${brackets}`, ['x']],
  ['reasoning details', `"content":"Hi.","reasoning_details":[${brackets}]`, ['reasoning_details']],
  ['a part of the content', `"content":[{"type":"text","text":"Hi.","x":${brackets}}]`, ['content.x']],
  ['a refusal', `"content":"Hi.","refusal":${brackets}`, ['refusal']],
  ['a call', `"content":null,"tool_calls":${toolCall(`,"x":${brackets}`)}`, ['tool_calls.x']],
  ['the function of a call', `"content":null,"tool_calls":${inner}`, ['tool_calls.function.x']],
]

const ways: [string, boolean, ChatModelOptions][] = [
  ['streamed over node:http', true, {}],
  ['whole over node:http', false, {}],
  ['streamed over fetch', true, { fetch }],
  ['whole over fetch', false, { fetch }],
]

describe.each(ways)('%s', (_way, stream, options) => {
  test.each(hostile)(
    '40 kB of brackets in %s leave a state that JSON takes',
    async (_where, fields, left) => {
      const { result, events } = await ran(fields, stream, options)
      expect(JSON.stringify(result.state)).not.toContain('[[[[')
      expect(result.text).toMatch(/^(Hi\.|done)$/)
      const omitted = events.flatMap((event) => (event.type === 'message-added' ? (event.omitted ?? []) : []))
      expect(omitted).toEqual(left)
    },
  )

  test('arguments as an object of 20,000 levels are a rejected call', async () => {
    const fields = `"content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"note","arguments":{"x":${brackets}}}}]`
    const { result, executed } = await ran(fields, stream, options)
    expect(result.text).toBe('done')
    expect(executed).toEqual([])
    expect(result.toolCalls).toMatchObject([
      { status: 'rejected', content: expect.stringContaining('nested too deeply') },
    ])
  })
})

test('arguments as an object of 1,000 levels run', async () => {
  const nested = '['.repeat(1000) + ']'.repeat(1000)
  const fields = `"content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"note","arguments":{"x":${nested}}}}]`
  const { executed } = await ran(fields, true, {})
  expect(JSON.stringify(executed)).toBe(`[{"x":${nested}}]`)
})

test('a list of 200,000 entries that comes in two pieces is kept whole', async () => {
  const list = JSON.stringify(Array.from({ length: 200_000 }, () => 0))
  const piece = `{"choices":[{"index":0,"delta":{"content":"Hi.","x":${list}}}]}`
  const { result } = await ran(piece, true, {}, [`data: ${piece}\n\n`, `data: ${piece}\n\n`])
  expect(result.messages.at(-1)).toMatchObject({ x: { length: 400_000 } })
})

test.each([
  ['an event named error', `event: error\ndata: {"message":"Overloaded.","x":${brackets}}\n\n`],
  ['an error in a chunk', `data: {"error":{"message":"Overloaded.","x":${brackets}}}\n\n`],
])('the words of %s are told, however deep the rest of it is', async (_what, text) => {
  await expect(ran('', true, {}, [text])).rejects.toMatchObject({
    code: 'api',
    message: expect.stringContaining('Overloaded.'),
  })
})

/** Runs an agent against a server whose first answer has a message of these fields, or is this stream. */
async function ran(fields: string, stream: boolean, options: ChatModelOptions, events?: readonly string[]) {
  const executed: unknown[] = []
  const note = tool({
    name: 'note',
    description: 'Notes',
    parameters: jsonSchema({ type: 'object' }),
    execute: (args) => void executed.push(args),
  })
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const whole = `{"choices":[{"index":0,"message":{"role":"assistant",${fields}},"finish_reason":"stop"}]}`
  const streamed = events ?? [`data: {"choices":[{"index":0,"delta":{${fields}}}]}\n\n`]
  const answers = [
    stream ? [...streamed, end] : [whole],
    ['{"choices":[{"message":{"content":"done"},"finish_reason":"stop"}]}'],
  ]
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      for (const piece of answers.shift() ?? []) response.write(piece)
      response.end()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = chatModel('m', { baseURL, apiKey: '', maxRetries: 0, ...options })
  const seen: RunEvent[] = []
  const agent = new Agent({ model, tools: [note], observe: (event) => void seen.push(event) })
  try {
    const result = await (stream ? agent.stream('Go.').result : agent.run('Go.'))
    return { result, executed, events: seen }
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}
