import { expect, test } from 'vitest'
import type { ChatMessage } from './plan/conversation.js'
import { playScript } from './play-script.js'
import { checkScript } from './script.js'

const play = (script: unknown) => playScript(checkScript(script))
const user = (text: string): ChatMessage => ({ role: 'user', text })

test('the first rule that fits answers, a text in any spelling, a pattern as it is', () => {
  const script = play([
    { when: 'hello', answer: 'one' },
    { when: '/^order (\\d+)$/', calls: [{ name: 'get_order', arguments: { id: 7 } }] },
    { when: '', answer: 'any' },
  ])
  expect(script([user('Oh, HELLO there')])?.text).toBe('one')
  expect(script([user('order 7')])).toEqual({
    text: null,
    refusal: null,
    calls: [{ name: 'get_order', arguments: '{"id":7}' }],
    finish: 'tool_calls',
  })
  expect(script([user('Order 7')])?.text).toBe('any')
})

test('only the last message counts: its role, its text, and the tool it is the result of', () => {
  const script = play([
    { when: { role: 'user', text: 'order' }, answer: 'asked' },
    { when: { tool: 'get_order', text: '/shipped/' }, answer: 'on its way' },
    { when: { role: 'tool' }, answer: 'some result' },
  ])
  const answered = (name: string, text: string): ChatMessage[] => [
    user('order'),
    { role: 'assistant', text: '', calls: [{ id: 'a', name, arguments: '{}' }] },
    { role: 'tool', callId: 'a', text },
  ]
  expect(script([user('order')])?.text).toBe('asked')
  expect(script(answered('get_order', 'shipped'))?.text).toBe('on its way')
  expect(script(answered('get_order', 'lost'))?.text).toBe('some result')
  expect(script(answered('get_time', 'shipped'))?.text).toBe('some result')
  expect(script([{ role: 'system', text: 'order' }])).toBeUndefined()
})

test('a rule answers as often as it says, then the next one does', () => {
  const script = play([
    { when: 'go', error: { status: 429, message: 'Slowly.', retryAfter: 2 }, times: 1 },
    { when: 'go', answer: 'gone', finish: 'length' },
  ])
  expect(() => script([user('go')])).toThrow(
    expect.objectContaining({ status: 429, message: 'Slowly.', headers: { 'retry-after': '2' } }),
  )
  expect(script([user('go')])).toMatchObject({ text: 'gone', finish: 'length' })
})

test('arguments in a text are sent as they are', () => {
  const script = play([{ when: 'x', calls: [{ name: 'a', arguments: '{"cut' }, { name: 'b' }] }])
  expect(script([user('x')])?.calls).toEqual([
    { name: 'a', arguments: '{"cut' },
    { name: 'b', arguments: '{}' },
  ])
})

test('what no rule is for is left to the planner, or refused with the message and the rules', () => {
  const rules = [{ when: { tool: 'a' }, answer: 'x', times: 2 }]
  expect(play(rules)([user('hi')])).toBeUndefined()
  expect(() => play({ rules, else: 'refuse' })([user('hi')])).toThrow(
    'No rule of the script fits the last message, user: "hi". Rules: 0: {"tool":"a"} (at most 2 times).',
  )
})
