import { expect, test } from 'vitest'
import { isDeeperThan } from './json.js'
import { toCalls } from './plan/conversation.js'

test('counts levels in arrays and objects', () => {
  expect(isDeeperThan(2, { a: [1] })).toBe(false)
  expect(isDeeperThan(1, { a: [1] })).toBe(true)
  expect(isDeeperThan(0, 'text')).toBe(false)
  expect(isDeeperThan(100, JSON.parse('['.repeat(90_000) + ']'.repeat(90_000)))).toBe(true)
})

test('reads a result beyond the nesting limit as text', () => {
  const deep = '['.repeat(90_000) + ']'.repeat(90_000)
  const call = { id: 'a', name: 'x', arguments: deep }
  const [answered] = toCalls([
    { role: 'assistant', text: '', calls: [call] },
    { role: 'tool', callId: 'a', text: deep },
  ])
  expect(answered).toMatchObject({ arguments: {}, result: deep, artifacts: [] })
})
