import { describe, expect, test } from 'vitest'
import { fromUtf8, toBase64 } from '../../bytes.js'
import type { Message, ToolDefinition } from '../../types/message.js'
import type { ModelRequest } from '../../types/model.js'
import { toMessagesBody } from './request.js'

const add: ToolDefinition = {
  type: 'function',
  function: { name: 'add', description: 'Adds', parameters: { type: 'object' } },
}
const user = (content: string): Message => ({ role: 'user', content })
const result = (tool_call_id: string, content: string): Message => ({ role: 'tool', tool_call_id, content })
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } })),
})

function bodyOf(given: Partial<ModelRequest>, isCached = false) {
  const request: ModelRequest = {
    ...{ messages: [user('Hi.')], tools: [], stream: false, idempotencyKey: 'k' },
    signal: new AbortController().signal,
    ...given,
  }
  return JSON.parse(fromUtf8(toMessagesBody('m', request, { form: { server: 'here' }, isCached })))
}

const sent = (...messages: Message[]) => bodyOf({ messages }).messages

test('a request has the model, the most tokens and the turns', () => {
  expect(bodyOf({})).toEqual({
    model: 'm',
    max_tokens: 16_384,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
  })
  expect(bodyOf({ stream: true }).stream).toBe(true)
})

test('instructions are the system text, wherever they stand', () => {
  const messages: Message[] = [
    { role: 'system', content: 'Be brief.' },
    user('Hi.'),
    { role: 'developer', content: 'Be kind.' },
  ]
  const body = bodyOf({ messages })
  expect(body.system).toEqual([{ type: 'text', text: 'Be brief.\n\nBe kind.' }])
  expect(body.messages).toHaveLength(1)
})

describe('turns', () => {
  test('results are one turn of the user, and what the user says next is after them', () => {
    const turns = sent(user('Add.'), calls('a', 'b'), result('a', '2'), result('b', ''), user('Well?'))
    expect(turns.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: '2' },
      { type: 'tool_result', tool_use_id: 'b' },
      { type: 'text', text: 'Well?' },
    ])
  })

  test('messages of one role in a row are one turn', () => {
    const turns = sent(
      user('A'),
      user('B'),
      { role: 'assistant', content: 'C' },
      { role: 'assistant', content: 'D' },
    )
    expect(turns.map(({ content }: { content: unknown[] }) => content.length)).toEqual([2, 2])
  })

  test('empty messages are left out', () => {
    expect(sent(user('A'), { role: 'assistant', content: ' ' }, user(''), user('B'))).toHaveLength(1)
  })

  test('the first turn is the user’s', () => {
    expect(sent({ role: 'assistant', content: 'Hi.' }, user('A')).map(({ role }: Message) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
  })

  test('a conversation that grows is written as one that is given whole', () => {
    const messages = [user('Add.'), calls('a'), result('a', '2'), result('b', '3'), user('Go.')]
    const copy = structuredClone(messages)
    const grown = messages.map((_message, n) => sent(...messages.slice(0, n + 1))).at(-1)
    expect(grown).toEqual(sent(...copy))
    expect(sent(...messages.slice(0, 2), user('Stop.')).at(-1).content).toEqual([
      { type: 'text', text: 'Stop.' },
    ])
  })

  test('an id that the interface does not take is another one, in call and result', () => {
    const [, assistant, results] = sent(user('Add.'), calls('f:0/1'), result('f:0/1', '2'))
    expect(assistant.content[0].id).toMatch(/^\w{9}$/)
    expect(results.content[0].tool_use_id).toBe(assistant.content[0].id)
  })

  test('large numbers in arguments keep their digits', () => {
    const { messages } = {
      messages: [
        user('Add.'),
        { ...calls('a'), tool_calls: [callOf('{"id":12345678901234567890}')] } as Message,
      ],
    }
    const text = fromUtf8(
      toMessagesBody(
        'm',
        { messages, tools: [], stream: false, idempotencyKey: 'k', signal: new AbortController().signal },
        { form: {}, isCached: false },
      ),
    )
    expect(text).toContain('"input":{"id":12345678901234567890}')
  })
})

function callOf(text: string) {
  return { id: 'a', type: 'function' as const, function: { name: 'add', arguments: text } }
}

test('images and files are blocks with a source', () => {
  const content = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    { type: 'image_url', image_url: { url: 'https://a.test/a.png' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
    {
      type: 'file',
      file: { file_data: `data:text/csv;base64,${toBase64(new TextEncoder().encode('a,ø'))}` },
    },
    { type: 'file', file: { file_id: 'file_1' } },
    { type: 'document', source: { type: 'url', url: 'https://a.test/a.pdf' } },
  ]
  expect(sent({ role: 'user', content })[0].content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
      title: 'a.pdf',
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,ø' } },
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    content[5],
  ])
})

describe('tools', () => {
  const offered = (given: Partial<ModelRequest>) => {
    const { tools, tool_choice } = bodyOf({ tools: [add], ...given })
    return { tools, tool_choice }
  }

  test('a tool has an input schema, and the default choice is not sent', () => {
    expect(offered({})).toEqual({
      tools: [{ name: 'add', description: 'Adds', input_schema: { type: 'object' } }],
      tool_choice: undefined,
    })
  })

  test.each([
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ type: 'function', function: { name: 'add' } } as const, { type: 'tool', name: 'add' }],
  ] as const)('the choice %j is %j', (toolChoice, choice) => {
    expect(offered({ toolChoice }).tool_choice).toEqual(choice)
  })

  test('calls one at a time are asked for with the choice', () => {
    const settings = { parallel_tool_calls: false }
    expect(offered({ settings }).tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true })
    expect(offered({ settings, toolChoice: 'required' }).tool_choice).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    })
    expect(bodyOf({ tools: [add], settings })).not.toHaveProperty('parallel_tool_calls')
  })

  test('strict is sent, and left out for a server that refuses it', () => {
    const strict = { ...add, function: { ...add.function, strict: true } }
    expect(offered({ tools: [strict] }).tools[0].strict).toBe(true)
  })

  test('hosted tools are sent as they are', () => {
    const hosted = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
    expect(offered({ hostedTools: [hosted] }).tools).toEqual([
      hosted,
      expect.objectContaining({ name: 'add' }),
    ])
    expect(offered({ tools: [], hostedTools: [hosted] }).tools).toEqual([hosted])
  })

  test('a history with calls has their tools, and no choice of them', () => {
    const body = bodyOf({ messages: [user('Add.'), calls('a'), result('a', '2')] })
    expect(body.tools).toEqual([{ name: 'add', input_schema: { type: 'object' } }])
    expect(body.tool_choice).toEqual({ type: 'none' })
  })
})

describe('settings', () => {
  test.each([
    [
      { max_tokens: 100, top_p: 0.5, temperature: 0 },
      { max_tokens: 100, top_p: 0.5, temperature: 0 },
    ],
    [{ max_completion_tokens: 100 }, { max_tokens: 100 }],
    [{ stop: 'x' }, { stop_sequences: ['x'] }],
    [{ stop: ['x', 'y'] }, { stop_sequences: ['x', 'y'] }],
    [{ reasoning_effort: 'high' }, { output_config: { effort: 'high' } }],
    [{ reasoning_effort: 'minimal' }, { output_config: { effort: 'low' } }],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ reasoning_effort: 'low', output_config: { effort: 'max' } }, { output_config: { effort: 'max' } }],
    [
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 18_384 },
    ],
    [{ response_format: { type: 'text' }, stream_options: {} }, {}],
    [
      { metadata: { user_id: 'u' }, service_tier: 'auto' },
      { metadata: { user_id: 'u' }, service_tier: 'auto' },
    ],
  ])('%j become %j', (settings, fields) => {
    const { model: _, messages: __, ...rest } = bodyOf({ settings })
    expect(rest).toEqual({ max_tokens: 16_384, ...fields })
  })

  test('a value that is no JSON is an error', () => {
    expect(() => bodyOf({ settings: { top_k: 1n } })).toThrow('settings.top_k cannot be sent')
  })

  test('a closed schema is the output format, without bounds', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'number', minimum: 1 }, minimum: { type: 'string', pattern: 'a' } },
      required: ['n', 'minimum'],
      additionalProperties: false,
    }
    const response_format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } }
    expect(bodyOf({ settings: { response_format } }).output_config.format).toEqual({
      type: 'json_schema',
      schema: { ...schema, properties: { n: { type: 'number' }, minimum: { type: 'string' } } },
    })
  })

  test('an open schema is an error that makes a run use a tool', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }
    expect(() => bodyOf({ settings: { response_format } })).toThrow('response_format')
  })
})

describe('marks for the cache', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const messages: Message[] = [
    { role: 'system', content: 'Be brief.' },
    user('Add.'),
    calls('a'),
    result('a', '2'),
  ]

  test('instructions, the last tool and the last message have one', () => {
    const body = bodyOf({ messages, tools: [add, add] }, true)
    expect(body.system[0]).toMatchObject(mark)
    expect(body.tools.map((tool: object) => 'cache_control' in tool)).toEqual([false, true])
    expect(body.messages[2].content[0]).toMatchObject(mark)
    expect(JSON.stringify(body.messages.slice(0, 2))).not.toContain('cache_control')
  })

  test('the mark moves with the last message', () => {
    const first = bodyOf({ messages: messages.slice(0, 2) }, true)
    expect(first.messages[0].content[0]).toMatchObject(mark)
    const later = bodyOf({ messages: [...messages, user('And?')] }, true)
    expect(JSON.stringify(later.messages).split('cache_control')).toHaveLength(2)
    expect(later.messages.at(-1).content.at(-1)).toMatchObject({ text: 'And?', ...mark })
  })

  test('a turn of the model at the end has none', () => {
    const body = bodyOf({ messages: [user('A'), { role: 'assistant', content: 'B' }] }, true)
    expect(JSON.stringify(body.messages)).not.toContain('cache_control')
  })
})
