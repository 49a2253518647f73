import { expect, test } from 'vitest'
import { stateOf } from '../test/run-settings.js'
import { withCallCosts, withReply } from './limits.js'
import type { ModelAnswer } from './run/ask-model.js'
import { noUsage } from './usage.js'

const prices = { m: { inputTokens: 1, outputTokens: 2 }, painter: { images: 10 } }
const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const answered: ModelAnswer = {
  message: { role: 'assistant', content: 'Hi.' },
  answered: {},
  repaired: {},
  tokens,
  model: 'm',
  reported: true,
  forced: false,
}

test('an answer adds its tokens, its repairs and what it cost', () => {
  const state = stateOf([], { usage: { ...noUsage, requests: 1, cost: 3 }, flags: { taintedBy: 'f' } })
  expect(withReply(state, { ...answered, repaired: { 0: ['a'], 2: ['b', 'c'] } }, prices)).toEqual({
    usage: { ...noUsage, requests: 2, ...tokens, repairs: 2, cost: 23 },
    flags: { taintedBy: 'f', lastRequest: { tokens: 15, cost: 20 } },
  })
})

test('without prices no cost is told', () => {
  expect(withReply(stateOf([]), answered, undefined)).toEqual({
    usage: { ...noUsage, requests: 1, ...tokens },
    flags: { lastRequest: { tokens: 15, cost: 0 } },
  })
})

test('an answer of unknown size, or of a model without a price, makes the cost unknown', () => {
  const { tokens: _, ...silent } = answered
  expect(withReply(stateOf([]), { ...silent, reported: false }, prices)).toEqual({
    usage: { ...noUsage, requests: 1, unreported: 1, cost: 'unknown' },
    flags: { lastRequest: { tokens: 0, cost: 0 } },
  })
  expect(withReply(stateOf([]), { ...answered, model: 'other' }, prices).usage.cost).toBe('unknown')
  const before = stateOf([], { usage: { ...noUsage, cost: 'unknown' } })
  expect(withReply(before, answered, prices).usage.cost).toBe('unknown')
})

test('that a choice was forced, and that the end of a text is missing, is remembered', () => {
  const { flags } = withReply(stateOf([]), { ...answered, forced: true, incomplete: true }, undefined)
  expect(flags).toMatchObject({ forcedChoiceUsed: true, incomplete: true })
  expect(withReply(stateOf([], { flags }), answered, undefined).flags).toMatchObject({
    forcedChoiceUsed: true,
  })
})

test('calls add what they spent, at its price', () => {
  const calls = [
    {
      spent: [
        { images: 2, model: 'painter' },
        { images: 1, model: 'painter' },
      ],
    },
    {},
  ]
  expect(withCallCosts({ ...noUsage, cost: 5 }, calls, prices)).toEqual({ ...noUsage, cost: 35 })
  expect(withCallCosts(noUsage, [{}], prices)).toEqual({ ...noUsage, cost: 0 })
  expect(withCallCosts(noUsage, [{ spent: [{ images: 1 }] }], prices)).toMatchObject({ cost: 'unknown' })
  expect(withCallCosts(noUsage, calls, undefined)).toBe(noUsage)
})
