import { expect, test } from 'vitest'
import type { Message, ToolCall } from '../../src/index.js'
import { strictConversation } from './strict-conversation.js'

const user: Message = { role: 'user', content: 'Go.' }
const said: Message = { role: 'assistant', content: 'Hi.' }
const call = (id: string, name = 'f', text = '{}'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})
const asks = (...calls: ToolCall[]): Message => ({ role: 'assistant', content: '', tool_calls: calls })
const told = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'ok' })

test('a strict server accepts a conversation with all results, in any order', () => {
  const system: Message = { role: 'system', content: 'Be brief.' }
  const turn = [asks(call('a'), call('b')), told('b'), told('a')]
  expect(strictConversation([system, user, ...turn, said, user])).toEqual([])
  expect(strictConversation([user, ...turn])).toEqual([])
  expect(strictConversation([user, said], { isRequest: false })).toEqual([])
})

test.each<[what: string, messages: Message[], fault: RegExp]>([
  ['an empty conversation', [], /is empty/],
  ['an end in an answer', [user, said], /ends in an answer/],
  ['an answer to nothing', [said, user], /answers nothing/],
  ['two answers in a row', [user, said, said, user], /follows another answer/],
  ['a result in front', [told('a'), user], /"a", which is not open/],
  ['a result of no call', [user, asks(call('a')), told('a'), told('b')], /"b", which is not open/],
  ['a call that is answered twice', [user, asks(call('a')), told('a'), told('a')], /"a", which is not open/],
  [
    'a result after another message',
    [user, asks(call('a')), user, told('a')],
    /comes while calls are open: a/,
  ],
  ['a call that stays open', [user, asks(call('a'), call('b')), told('a')], /ends while calls are open: b/],
  ['an id twice in a turn', [user, asks(call('a'), call('a')), told('a')], /empty or taken: "a"/],
  ['an id of an earlier turn', [user, asks(call('a')), told('a'), asks(call('a')), told('a')], /taken: "a"/],
  ['an empty id', [user, asks(call(' ')), told(' ')], /empty or taken/],
  ['an empty name', [user, asks(call('a', '')), told('a')], /without a name/],
  ['arguments that are cut', [user, asks(call('a', 'f', '{"q":')), told('a')], /no JSON object/],
  ['arguments that are a list', [user, asks(call('a', 'f', '[]')), told('a')], /no JSON object/],
  ['an empty list of calls', [user, asks(), user], /empty list of calls/],
  ['an answer without anything', [user, { role: 'assistant', content: null }, user], /says nothing/],
  ['instructions in the middle', [user, { role: 'system', content: 'x' }, user], /is not the first/],
  ['an empty question', [{ role: 'user', content: ' ' }], /is empty/],
])('a strict server rejects %s', (_what, messages, fault) => {
  expect(strictConversation(messages).join('; ')).toMatch(fault)
})
