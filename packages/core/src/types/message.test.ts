import { expect, test } from 'vitest'
import { callsOf, textOf } from './message.js'

test.each([
  ['words', 'words'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [[], ''],
  [[{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }], 'ab'],
  [[{ type: 'text', text: { value: 'a' } } as never, { type: 'text', text: 'b' }], 'b'],
])('the text of %j is %j', (content, text) => {
  expect(textOf(content)).toBe(text)
})

test('returns calls of assistant messages only', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '' } } as const
  expect(callsOf({ role: 'assistant', content: null, tool_calls: [call] })).toEqual([call])
  expect(callsOf({ role: 'assistant', content: 'words' })).toEqual([])
  expect(callsOf({ role: 'tool', tool_call_id: 'c', content: '' })).toEqual([])
  expect(callsOf({ role: 'user', content: 'x', tool_calls: [call] } as never)).toEqual([])
  expect(callsOf(undefined)).toEqual([])
})
