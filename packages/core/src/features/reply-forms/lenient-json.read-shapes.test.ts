import { expect, test } from 'vitest'
import { assemble, delta, whole, wireCall } from '../../../test/chunks.js'
import type { RawJson } from '../../model/reply-fields.js'

const call = wireCall('a', 'f', '{}')

test.each([null, undefined, '', [], {}])('reads %j as no content and no calls', (nothing) => {
  const { message } = assemble([whole({ content: nothing, tool_calls: nothing, function_call: nothing })])
  expect(message.tool_calls).toBeUndefined()
  expect([message.content].flat().join('')).toBe('')
})

test.each([null, []])('ignores a delta that is %j', (nothing) => {
  const { message } = assemble([delta({ content: 'Hi.' }), delta(nothing, 'stop')])
  expect(message.content).toBe('Hi.')
})

test.each<[string, unknown, unknown]>([
  ['a part that is no list', { type: 'text', text: 'Hi.' }, [{ type: 'text', text: 'Hi.' }]],
  [
    'texts in a list',
    ['Hi', null, '.'],
    [
      { type: 'text', text: 'Hi' },
      { type: 'text', text: '.' },
    ],
  ],
  ['a part without a type', [{ text: 'Hi.' }], [{ type: 'text', text: 'Hi.' }]],
  [
    'a part of a type that nobody knows here',
    [{ type: 'thinking', thinking: [{ text: 'Hm.' }] }],
    [{ type: 'thinking', thinking: [{ text: 'Hm.' }] }],
  ],
])('reads content: %s', (_what, content, read) => {
  expect(assemble([whole({ content })]).message.content).toEqual(read)
})

test.each<[string, unknown]>([
  ['an object by index', { 0: call }],
  ['one call', call],
  ['a list with nothing in a place', [null, call]],
])('reads calls: %s', (_what, tool_calls) => {
  expect(assemble([whole({ tool_calls })]).message.tool_calls).toEqual([call])
})

test('separates streamed calls in an object by index', () => {
  const { message } = assemble([
    delta({ tool_calls: { 0: { id: 'a', function: { name: 'f', arguments: '{"x"' } } } }),
    delta({ tool_calls: { 1: { id: 'b', function: { name: 'g', arguments: '{"y"' } } } }),
    delta(
      { tool_calls: { 0: { function: { arguments: ':1}' } }, 1: { function: { arguments: ':2}' } } } },
      'stop',
    ),
  ])
  expect(message.tool_calls).toEqual([wireCall('a', 'f', '{"x":1}'), wireCall('b', 'g', '{"y":2}')])
})

test.each<[string, RawJson, string]>([
  ['content', { content: 5 }, '5'],
  ['content', { content: true }, 'true'],
  ['content', { content: { value: 'Hi.' } }, '{"value":"Hi."}'],
  ['content', { content: [5] }, '5'],
  ['content', { content: [{ value: 'Hi.' }] }, '{"value":"Hi."}'],
  [
    'content',
    { content: [{ type: 'text', text: { value: 'Hi.' } }] },
    '{"type":"text","text":{"value":"Hi."}}',
  ],
  ['tool_calls', { tool_calls: 'f()' }, '"f()"'],
  ['tool_calls', { tool_calls: 5 }, '5'],
  ['tool_calls', { tool_calls: [null, 5] }, '[null,5]'],
  ['tool_calls', { tool_calls: [call, 'f()'] }, 'f()'],
  ['tool_calls', { tool_calls: [null] }, '[null]'],
  ['tool_calls', { tool_calls: { 0: 'f()' } }, '{"0":"f()"}'],
  ['function_call', { function_call: 'f()' }, '"f()"'],
])('rejects %s in an unknown format: %j', (field, message, excerpt) => {
  for (const chunk of [whole(message), delta(message, 'stop')]) {
    expect(() => assemble([chunk])).toThrow(
      expect.objectContaining({
        code: 'invalid_response',
        retryable: true,
        message: expect.stringContaining(`The model server sent ${field} in an unknown format: `),
        evidence: { field, excerpt: expect.stringContaining(excerpt) },
      }),
    )
  }
})

test.each<[string, RawJson]>([
  ['delta', delta('Hi.')],
  ['delta', delta(['Hi.'])],
  ['message', whole(5)],
  ['message', whole(['Hi.'])],
])('rejects a %s that is not an object (case %#)', (field, chunk) => {
  expect(() => assemble([chunk])).toThrow(`The model server sent ${field} in an unknown format`)
})

test.each([null, [], ''])('does not accept %j as a message', (message) => {
  expect(() => assemble([whole(message)])).toThrow('without a choice')
})
