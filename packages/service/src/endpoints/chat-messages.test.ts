import { expect, test } from 'vitest'
import { parseMessages } from './chat-messages.js'

const called = (...ids: string[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'get_weather', arguments: '' } })),
})
const answered = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const hello = { role: 'user', content: 'Hello' }

test.each<[string, unknown, string]>([
  ['none', undefined, 'messages'],
  ['an empty list', [], 'messages'],
  ['no object', ['Hello'], 'messages[0]'],
  ['an unknown role', [{ role: 'robot', content: '' }], 'messages[0].role'],
  ['a user message without content', [hello, { role: 'user' }], 'messages[1].content'],
  ['content of another type', [{ role: 'user', content: 7 }], 'messages[0].content'],
  ['an unknown part', [{ role: 'user', content: [{ type: 'video' }] }], 'messages[0].content[0]'],
  ['an answer to nothing', [hello, answered('a')], 'messages[1].tool_call_id'],
  ['an answer without an id', [hello, { role: 'tool', content: 'ok' }], 'messages[1].tool_call_id'],
  ['an answer to another call', [hello, called('a'), answered('b')], 'messages[2].tool_call_id'],
  ['an answer given twice', [hello, called('a'), answered('a'), answered('a')], 'messages[3].tool_call_id'],
  ['a call not answered at the end', [hello, called('a', 'b'), answered('a')], 'messages[1].tool_calls'],
  [
    'a call not answered before the next message',
    [hello, called('a'), hello, answered('a')],
    'messages[1].tool_calls',
  ],
  ['two calls with one id', [hello, called('a', 'a'), answered('a')], 'messages[1].tool_calls'],
  [
    'an empty list of calls',
    [hello, { role: 'assistant', content: '', tool_calls: [] }],
    'messages[1].tool_calls',
  ],
  [
    'a call without a name',
    [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }],
    'messages[0].tool_calls[0].function.name',
  ],
])('rejects messages with %s and names the place', (_, messages, param) => {
  expect(() => parseMessages(messages)).toThrow(
    expect.objectContaining({ status: 400, code: 'invalid_messages', param }),
  )
})

test('an assistant message with calls needs no content', () => {
  for (const content of [undefined, null, '', []]) {
    const parsed = parseMessages([hello, { ...called('a'), content }, answered('a')])
    expect(parsed[1]).toEqual({
      role: 'assistant',
      text: '',
      calls: [{ id: 'a', name: 'get_weather', arguments: '' }],
    })
  }
})

test('accepts one result per call in any order', () => {
  const parsed = parseMessages([hello, called('a', 'b'), answered('b'), answered('a'), hello])
  expect(parsed.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
})

test('joins text parts by newlines, ignores images, maps developer to system', () => {
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'image_url', image_url: { url: 'data:,' } },
    { type: 'text', text: 'two' },
  ]
  expect(parseMessages([{ role: 'developer', content: parts }])).toEqual([
    { role: 'system', text: 'one\ntwo' },
  ])
})
