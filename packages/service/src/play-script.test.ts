import { expect, test } from 'vitest'
import type { ChatMessage } from './plan/conversation.js'
import { playScript } from './play-script.js'
import { checkScript } from './script.js'

const play = (script: unknown) => playScript(checkScript(script))
const user = (text: string): ChatMessage => ({ role: 'user', text })

test('the first matching rule replies, by text ignoring case or by pattern', () => {
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

test('matches role, text and tool of the last message only', () => {
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

test('a rule replies `times` times, then the next one', () => {
  const script = play([
    { when: 'go', error: { status: 429, message: 'Slowly.', retryAfter: 2 }, times: 1 },
    { when: 'go', answer: 'gone', finish: 'length' },
  ])
  expect(() => script([user('go')])).toThrow(
    expect.objectContaining({ status: 429, message: 'Slowly.', headers: { 'retry-after': '2' } }),
  )
  expect(script([user('go')])).toMatchObject({ text: 'gone', finish: 'length' })
})

test('sends string arguments unchanged', () => {
  const script = play([{ when: 'x', calls: [{ name: 'a', arguments: '{"cut' }, { name: 'b' }] }])
  expect(script([user('x')])?.calls).toEqual([
    { name: 'a', arguments: '{"cut' },
    { name: 'b', arguments: '{}' },
  ])
})

test('without a match the planner replies, or a 400 shows message and rules', () => {
  const rules = [{ when: { tool: 'a' }, answer: 'x', times: 2 }]
  expect(play(rules)([user('hi')])).toBeUndefined()
  expect(() => play({ rules, else: 'refuse' })([user('hi')])).toThrow(
    'No rule in the script matches the last message (user: "hi"). Rules: 0: {"tool":"a"} (at most 2 times).',
  )
})
