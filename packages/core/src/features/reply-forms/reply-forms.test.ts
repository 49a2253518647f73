import { expect, test } from 'vitest'
import { assemble, delta, whole, wireCall } from '../../../test/chunks.js'
import type { RawJson } from '../../model/reply-fields.js'

test('joins text in order and emits each piece', () => {
  const { message, deltas } = assemble([
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hel' }),
    delta({ content: 'lo' }),
  ])
  expect(message).toEqual({ role: 'assistant', content: 'Hello' })
  expect(deltas).toEqual([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
  ])
})

test('joins calls and emits index, id, name and newest fragment', () => {
  const { message, finishReason, deltas } = assemble([
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
    delta(
      {
        tool_calls: [
          { index: 0, function: { arguments: ':1}' } },
          { index: 1, id: 'b', function: { name: 'g' } },
        ],
      },
      'tool_calls',
    ),
  ])
  expect(message.tool_calls).toEqual([wireCall('a', 'f', '{"x":1}'), wireCall('b', 'g', '')])
  expect(finishReason).toBe('tool_calls')
  expect(deltas).toEqual([
    { type: 'call', index: 0, id: 'a', name: 'f', arguments: '{"x"' },
    { type: 'call', index: 0, id: 'a', name: 'f', arguments: ':1}' },
    { type: 'call', index: 1, id: 'b', name: 'g', arguments: '' },
  ])
})

test.each<[string, RawJson]>([
  ['in a completion', whole({ tool_calls: [wireCall('a', 'f', '{}')] })],
  [
    'in the message of a chunk without a delta',
    whole({ tool_calls: [{ ...wireCall('a', 'f', '{}'), index: 0 }] }, { delta: null }),
  ],
  ['in a delta that is also the end', delta({ tool_calls: [wireCall('a', 'f', '{}')] }, 'stop')],
  ['beside content as a list', whole({ content: [], tool_calls: [wireCall('a', 'f', '{}')] })],
])('finds a call %s', (_where, chunk) => {
  expect(assemble([chunk]).message.tool_calls).toEqual([wireCall('a', 'f', '{}')])
})

test('keeps two calls of one message with the same id', () => {
  const { message } = assemble([whole({ tool_calls: [wireCall('a', 'f', '{}'), wireCall('a', 'f', '{}')] })])
  expect(message.tool_calls).toHaveLength(2)
})

test('reads function_call and call parts, whole or in pieces', () => {
  const pieces = [
    delta({ function_call: { name: 'f', arguments: '{"x"' } }),
    delta({ function_call: { arguments: ':1}' } }, 'function_call'),
  ]
  expect(assemble(pieces).message.tool_calls).toEqual([wireCall('', 'f', '{"x":1}')])
  for (const part of [
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'function_call', id: 'a', name: 'f', arguments: '{"x":1}' },
    { type: 'tool-call', id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
  ]) {
    const text = { type: 'text', text: 'Hm.' }
    for (const chunk of [whole({ content: [text, part] }), delta({ content: [text, part] }, 'tool_use')])
      expect(assemble([chunk]).message).toEqual({
        role: 'assistant',
        content: [text],
        tool_calls: [wireCall('a', 'f', '{"x":1}')],
      })
  }
})

test('merges a call repeated in two places and keeps a different one', () => {
  const calls = [wireCall('a', 'f', '{"x":1}')]
  const old = (name: string, text: string) => ({ name, arguments: text })
  const made = (function_call: object) =>
    assemble([whole({ function_call, tool_calls: calls })]).message.tool_calls
  expect(made(old('f', '{"x": 1}'))).toEqual(calls)
  expect(made(old('f', ''))).toEqual(calls)
  expect(made(old('g', '{}'))).toEqual([...calls, wireCall('', 'g', '{}')])
  const pieces = [
    delta({ function_call: old('f', '{"x"'), tool_calls: [{ index: 0, ...wireCall('a', 'f', '{"x"') }] }),
    delta({
      function_call: { arguments: ':1}' },
      tool_calls: [{ index: 0, function: { arguments: ':1}' } }],
    }),
  ]
  expect(assemble(pieces).message.tool_calls).toEqual(calls)
  const part = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } }
  expect(assemble([whole({ content: [part], tool_calls: calls })]).message.tool_calls).toEqual(calls)
})

test.each([
  [null, ''],
  [undefined, ''],
  ['', ''],
  ['words', 'words'],
  [
    [{ type: 'text', text: 'a' }, null, { type: 7, text: 'b', further: 1 }],
    [
      { type: 'text', text: 'a' },
      { type: '7', text: 'b', further: 1 },
    ],
  ],
  [[], ''],
])('keeps content of the form %j', (content, expected) => {
  expect(assemble([whole({ role: null, content, tool_calls: null })]).message).toEqual({
    role: 'assistant',
    content: expected,
  })
})

test('uses only the first choice, in any position', () => {
  const choice = (content: string, index?: number) => ({
    ...(index === undefined ? {} : { index }),
    message: { content },
  })
  expect(assemble([{ choices: [choice('second', 1), choice('first', 0)] }]).message.content).toBe('first')
  expect(assemble([{ choices: [choice('other', 1), choice('first')] }]).message.content).toBe('first')
  expect(assemble([{ choices: [choice('a', 0)] }, { choices: [choice('b', 1)] }]).message.content).toBe('a')
})

test('skips chunks without a choice but reads their token counts', () => {
  const { message, tokens } = assemble([
    { choices: [] },
    delta({ content: 'a' }),
    { choices: null },
    { usage: { prompt_tokens: 3, completion_tokens: 4 } },
    {},
  ])
  expect(message.content).toBe('a')
  expect(tokens).toEqual({ inputTokens: 3, outputTokens: 4, totalTokens: 7 })
})

test('reads token counts that come only with the choice', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, cached_tokens: 2 }
  const tokens = { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 2 }
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }
  const streamed = assemble([delta({ content: 'Yes.' }), last])
  const completion = { choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop', usage }] }
  const whole = assemble([completion])
  expect([streamed.tokens, whole.tokens]).toEqual([tokens, tokens])
  expect(streamed.message).toEqual({ role: 'assistant', content: 'Yes.' })
})

test('keeps unknown fields: texts and records joined, lists appended, others replaced', () => {
  const { message, deltas } = assemble([
    delta({ reasoning_content: 'Let me ', reasoning_details: [{ n: 1 }], extra: { a: 1 }, refusal: null }),
    delta({ reasoning_content: 'think.', reasoning_details: [{ n: 2 }], extra: { b: 2 } }),
    delta({ reasoning_content: '', content: 'Yes.' }),
  ])
  expect(message).toEqual({
    role: 'assistant',
    content: 'Yes.',
    reasoning_content: 'Let me think.',
    reasoning_details: [{ n: 1 }, { n: 2 }],
    extra: { a: 1, b: 2 },
  })
  expect(deltas.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text'])
})

test('keeps a field with an inherited name', () => {
  const given = JSON.parse('{"__proto__":{"x":1},"constructor":"c","content":"a"}')
  const { message } = assemble([delta(given), delta({ ...given, constructor: 'd' })])
  expect(JSON.stringify(message)).toBe(
    '{"__proto__":{"x":1},"constructor":"cd","role":"assistant","content":"aa"}',
  )
  expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
})

const said = (finish: unknown = 'tool_calls') => ({ finish_reason: finish })
const one = [wireCall('a', 'f', '{"x":1}')]
const onePieces = [
  delta({ content: 'Hel' }),
  delta({ content: 'lo', tool_calls: [{ index: 0, ...wireCall('a', 'f', '{"x"') }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
]

test.each<[string, unknown]>([
  ['under its id', one],
  ['under a new id', [wireCall('new', 'f', '{ "x": 1 }')]],
  ['without an id', [wireCall('', 'f', '{"x":1}')]],
  ['without its arguments', [wireCall('a', 'f', '')]],
])('ignores a last message that repeats the stream: the call %s', (_how, tool_calls) => {
  const last = whole({ role: 'assistant', content: 'Hello', tool_calls }, said())
  const { message, deltas } = assemble([...onePieces, last])
  expect(message).toEqual({ role: 'assistant', content: 'Hello', tool_calls: one })
  expect(deltas.filter(({ type }) => type === 'text')).toHaveLength(2)
})

test('completes the stream from a last message', () => {
  const [first, second] = onePieces as [RawJson, RawJson]
  const last = whole({ content: 'Hello!', tool_calls: [...one, wireCall('b', 'g', '{}')] }, said())
  expect(assemble([first, second, last]).message).toMatchObject({
    content: 'Hello!',
    tool_calls: [...one, wireCall('b', 'g', '{}')],
  })
  const head = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] })
  expect(assemble([head, whole({ tool_calls: one }, said())]).message.tool_calls).toEqual([
    wireCall('a', 'f', '{}{"x":1}'),
  ])
})

test('keeps both texts if a last message contradicts a call', () => {
  const last = whole({ tool_calls: [wireCall('a', 'f', '{"x":2}')] }, said())
  expect(assemble([...onePieces, last]).message.tool_calls).toEqual([wireCall('a', 'f', '{"x":1}{"x":2}')])
})

test('counts calls in separate messages once each', () => {
  const calls = ['a', 'b'].map((id) => wireCall(id, 'f', '{}'))
  const [a, b] = calls as [object, object]
  const chunks = [
    whole({ tool_calls: [a] }),
    whole({ tool_calls: [b] }),
    whole({ tool_calls: [a, b] }, said()),
  ]
  expect(assemble(chunks).message.tool_calls).toEqual(calls)
})

test('keeps two equal calls that are repeated', () => {
  const calls = ['a', 'b'].map((id) => wireCall(id, 'f', '{}'))
  const pieces = calls.map((call, index) => delta({ tool_calls: [{ index, ...call }] }))
  expect(assemble([...pieces, whole({ tool_calls: calls }, said())]).message.tool_calls).toEqual(calls)
})

test.each<[string, RawJson]>([
  ['in the message beside an empty delta', { delta: {}, message: { content: 'Hm.', tool_calls: one } }],
  ['in the message, the text in the delta', { delta: { content: 'Hm.' }, message: { tool_calls: one } }],
  ['beside the message', { message: { content: 'Hm.' }, tool_calls: one }],
  ['beside an empty delta', { delta: {}, content: 'Hm.', tool_calls: one }],
  ['with nothing around them', { text: 'Hm.', tool_calls: one }],
  ['under other names', { message: { content: 'Hm.', toolCalls: one } }],
  ['alone under another name', { message: { content: 'Hm.', tool_call: one[0] } }],
])('finds text and calls %s', (_where, choice) => {
  for (const finish_reason of ['stop', 'tool_calls'])
    expect(assemble([{ choices: [{ index: 0, ...choice, finish_reason }] }]).message).toEqual({
      role: 'assistant',
      content: 'Hm.',
      tool_calls: one,
    })
})

test('accepts a text as the index of a choice', () => {
  const choice = (index: string, content: string) => ({ choices: [{ index, delta: { content } }] })
  const chunks = [choice('0', 'a'), choice('1', 'b'), choice('0', 'c')]
  expect(assemble(chunks).message.content).toBe('ac')
})

test.each<RawJson>([
  { delta: { content: 'Hm.' } },
  { message: { role: 'assistant', content: 'Hm.' }, done: false },
  { choices: [], tool_calls: one },
  { choices: 'none' },
  { choices: ['none'] },
])('rejects a reply outside of any choice (case %#)', (chunk) => {
  expect(() => assemble([delta({ content: 'a' }, 'stop'), chunk])).toThrow(
    expect.objectContaining({
      code: 'invalid_response',
      message: expect.stringContaining('in an unknown format'),
    }),
  )
})

test('rejects a call part without a name', () => {
  expect(() => assemble([whole({ content: [{ type: 'tool_use', input: {} }] })])).toThrow(
    'sent content in an unknown format',
  )
})
