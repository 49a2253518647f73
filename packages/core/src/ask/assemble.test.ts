import { expect, test } from 'vitest'
import { assemble, delta, whole, wireCall } from '../../test/chunks.js'
import type { Loose } from './loose.js'

test('text is joined in order, and told piece by piece', () => {
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

test('calls are joined, and told with their place, name and newest fragment', () => {
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
    { type: 'call', index: 0, name: 'f', arguments: '{"x"' },
    { type: 'call', index: 0, name: 'f', arguments: ':1}' },
    { type: 'call', index: 1, name: 'g', arguments: '' },
  ])
})

test.each<[string, Loose]>([
  ['in a completion', whole({ tool_calls: [wireCall('a', 'f', '{}')] })],
  [
    'in the message of a chunk without a delta',
    whole({ tool_calls: [{ ...wireCall('a', 'f', '{}'), index: 0 }] }, { delta: null }),
  ],
  ['in a delta that is also the end', delta({ tool_calls: [wireCall('a', 'f', '{}')] }, 'stop')],
  ['beside content as a list', whole({ content: [], tool_calls: [wireCall('a', 'f', '{}')] })],
])('a call is found %s', (_where, chunk) => {
  expect(assemble([chunk]).message.tool_calls).toEqual([wireCall('a', 'f', '{}')])
})

test('two calls of one message may have one id, and stay two', () => {
  const { message } = assemble([whole({ tool_calls: [wireCall('a', 'f', '{}'), wireCall('a', 'f', '{}')] })])
  expect(message.tool_calls).toHaveLength(2)
})

test('the old form of a call is a call, whole or in pieces, unless there is one in the new form', () => {
  const pieces = [
    delta({ function_call: { name: 'f', arguments: '{"x"' } }),
    delta({ function_call: { arguments: ':1}' } }, 'function_call'),
  ]
  expect(assemble(pieces).message.tool_calls).toEqual([wireCall('', 'f', '{"x":1}')])
  const both = { function_call: { name: 'g', arguments: '{}' }, tool_calls: [wireCall('a', 'f', '{}')] }
  expect(assemble([whole(both)]).message).toEqual({
    role: 'assistant',
    content: '',
    tool_calls: both.tool_calls,
  })
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
])('content that comes as %j is kept as such', (content, expected) => {
  expect(assemble([whole({ role: null, content, tool_calls: null })]).message).toEqual({
    role: 'assistant',
    content: expected,
  })
})

test('only the first choice counts, wherever it stands', () => {
  const choice = (content: string, index?: number) => ({
    ...(index === undefined ? {} : { index }),
    message: { content },
  })
  expect(assemble([{ choices: [choice('second', 1), choice('first', 0)] }]).message.content).toBe('first')
  expect(assemble([{ choices: [choice('other', 1), choice('first')] }]).message.content).toBe('first')
  expect(assemble([{ choices: [choice('a', 0)] }, { choices: [choice('b', 1)] }]).message.content).toBe('a')
})

test('chunks without a choice are passed over, their token counts are not', () => {
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

test('what nobody knows is kept to be sent back: text joined, lists appended, else the newest', () => {
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
    extra: { b: 2 },
  })
  expect(deltas.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text'])
})

test('a field that objects inherit is a field like any other', () => {
  const given = JSON.parse('{"__proto__":{"x":1},"constructor":"c","content":"a"}')
  const { message } = assemble([delta(given), delta(given)])
  expect(JSON.stringify(message)).toBe(
    '{"__proto__":{"x":1},"constructor":"cc","role":"assistant","content":"aa"}',
  )
  expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
})
