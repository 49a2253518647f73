import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { wireCall } from '../../test/chunks.js'
import { strictConversation } from '../../test/run-control/strict-conversation.js'
import { isPaired } from '../run/ask-model.js'
import { trimmed } from '../run/trim-messages.js'
import { callsOf, type Message } from '../types/message.js'

const user = (text: string): Message => ({ role: 'user', content: text })
const said = (text: string): Message => ({ role: 'assistant', content: text })
const turn = (...ids: string[]): Message[] => [
  { role: 'assistant', content: '', tool_calls: ids.map((id) => wireCall(id, 'f', '{}')) },
  ...ids.map((id): Message => ({ role: 'tool', tool_call_id: id, content: `result ${id}` })),
]
const letters = (messages: readonly Message[]) => JSON.stringify(messages).length
/** Trimmed while the run's task is its last request, or at another place. */
const byMessages = (
  messages: readonly Message[],
  maxMessages: number,
  task = messages.findLastIndex(({ role }) => role === 'user'),
) => trimmed({ messages, task }, { maxMessages }, letters)

test('a history that fits is left as it is, the same list', () => {
  const messages = [user('a'), said('b')]
  expect(byMessages(messages, 2)).toBe(messages)
  expect(trimmed({ messages, task: 0 }, {}, letters)).toBe(messages)
})

test('whole exchanges are kept as far back as they fit, the opening words of the system always', () => {
  const system: Message = { role: 'system', content: 'Be brief.' }
  const messages = [system, user('1'), said('one'), user('2'), ...turn('a', 'b'), said('two'), user('3')]
  expect(byMessages(messages, 7)).toEqual([system, ...messages.slice(3)])
  expect(byMessages(messages, 6)).toEqual([system, user('3')])
  expect(byMessages(messages, 1)).toEqual([system, user('3')])
})

test('of a long exchange the request is kept, with the newest turns that fit', () => {
  const messages = [user('old'), said('hm'), user('Go.'), ...turn('a'), ...turn('b', 'c'), ...turn('d')]
  expect(byMessages(messages, 6)).toEqual([user('Go.'), ...turn('b', 'c'), ...turn('d')])
  expect(byMessages(messages, 5)).toEqual([user('Go.'), ...turn('d')])
  expect(byMessages(messages, 1)).toEqual([user('Go.'), ...turn('d')])
})

test('words that were sent into a run leave its task in place, as long as both fit with the newest turn', () => {
  const [task, first, second] = [user('Go.'), user('Left!'), user('Right!')]
  const messages = [user('old'), said('hm'), task, ...turn('a'), first, ...turn('b'), second, ...turn('c')]
  const trim = (max: number) => byMessages(messages, max, 2)
  expect(trim(10)).toEqual(messages.slice(2))
  expect(trim(8)).toEqual([task, first, ...turn('b'), second, ...turn('c')])
  expect(trim(6)).toEqual([task, ...turn('b'), second, ...turn('c')])
  expect(trim(4)).toEqual([task, second, ...turn('c')])
  expect(trim(3)).toEqual([second, ...turn('c')])
  expect(byMessages(messages.slice(0, 9), 3, 2)).toEqual([task, second])
})

test('a place that holds no request of the user is none of a task', () => {
  const messages = [user('1'), said('one'), user('2'), ...turn('a')]
  for (const task of [-1, 1, 9]) expect(byMessages(messages, 3, task)).toEqual(messages.slice(2))
})

test('tokens count like messages', () => {
  const messages = [user('x'.repeat(1000)), said('y'), user('z')]
  expect(trimmed({ messages, task: 2 }, { maxTokens: 200 }, letters)).toEqual([user('z')])
})

const exchange = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }), fc.boolean())
  .map(([turns, ends]) => ({ turns, ends }))

/** A conversation that a strict server takes: requests, turns of calls, answers. */
const history = fc.array(exchange, { minLength: 1, maxLength: 60 }).map((exchanges) => {
  let id = 0
  const messages = exchanges.flatMap(({ turns, ends }, at) => [
    user(`request ${at}`),
    ...turns.flatMap((calls) => turn(...Array.from({ length: calls }, () => `call_${id++}`))),
    ...(ends || at < exchanges.length - 1 ? [said(`answer ${at}`)] : []),
  ])
  return messages.at(-1)?.role === 'assistant' ? [...messages, user('and?')] : messages
})

test('any history, trimmed to any budget, is one that a strict server takes, and ends as it did', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 300 }), (messages, budget) => {
      const kept = byMessages(messages, budget)
      expect(strictConversation(kept)).toEqual([])
      expect(kept.at(-1)).toBe(messages.at(-1))
      const lastTurn = messages.length - messages.findLastIndex(({ role }) => role === 'assistant')
      expect(kept.length).toBeLessThanOrEqual(Math.max(budget, lastTurn + 1))
    }),
    { numRuns: cases(500) },
  )
})

/** A run after earlier exchanges: its task, turns, and words that were sent into it. */
const steered = fc
  .tuple(history, fc.array(fc.oneof(fc.constant('said'), fc.integer({ min: 1, max: 4 })), { maxLength: 40 }))
  .map(([before, steps]) => {
    const after = steps.flatMap((step, at) =>
      step === 'said'
        ? [user(`sent ${at}`)]
        : turn(...Array.from({ length: step as number }, (_, n) => `own_${at}_${n}`)),
    )
    const ends = after.length === 0 || after.at(-1)?.role !== 'assistant'
    const open = before.at(-1)?.role === 'user' ? before.slice(0, -1) : [...before, said('That is all.')]
    return { task: open.length, messages: ends ? [...open, user('the task'), ...after] : open }
  })

test('the task outlasts every turn but the newest, at every budget that has room for it', () => {
  fc.assert(
    fc.property(steered, fc.integer({ min: 1, max: 120 }), ({ messages, task }, budget) => {
      const kept = byMessages(messages, budget, task)
      expect(strictConversation(kept)).toEqual([])
      const last = messages.findLastIndex(({ role }) => role === 'user')
      const newest = Math.max(
        last,
        messages.findLastIndex(({ role }) => role === 'assistant'),
      )
      const before = new Set([task, last].filter((place) => place < newest))
      const least = before.size + messages.length - newest
      expect(kept).toContain(messages[last])
      if (budget >= least) expect(kept).toContain(messages[task])
      expect(kept.length).toBeLessThanOrEqual(Math.max(budget, least))
    }),
    { numRuns: cases(1000) },
  )
})

test('a history of 300 messages fits every budget from 1 to 300', () => {
  const messages = Array.from({ length: 60 }, (_, n) => [
    user(`request ${n}`),
    ...turn(`a${n}`, `b${n}`),
    said(`answer ${n}`),
  ]).flat()
  expect(messages).toHaveLength(300)
  const asked = [...messages.slice(0, -1)]
  for (let budget = 1; budget <= 300; budget++)
    expect(strictConversation(byMessages(asked, budget))).toEqual([])
})

test('calls and answers that are not paired are seen', () => {
  expect(isPaired([user('a'), ...turn('x', 'y'), said('b')])).toBe(true)
  expect(isPaired(turn('x', 'y').slice(0, 2))).toBe(false)
  expect(isPaired(turn('x').slice(1))).toBe(false)
  expect(isPaired([...turn('x').slice(0, 1), user('b')])).toBe(false)
  expect(callsOf(turn('x')[0])).toHaveLength(1)
})
