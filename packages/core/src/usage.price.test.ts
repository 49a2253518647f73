import { expect, test } from 'vitest'
import { addCost, costOf, type PriceTable } from './usage.js'

const table: PriceTable = {
  chat: { inputTokens: 2, outputTokens: 3 },
  painter: { images: 40 },
  voice: { audioSeconds: 5, characters: 7 },
}

test('prices each unit by the table', () => {
  const tokens = { inputTokens: 10, outputTokens: 1, totalTokens: 999 }
  expect(costOf(tokens, 'chat', table)).toBe(23)
  expect(costOf({ images: 2 }, 'painter', table)).toBe(80)
  expect(costOf({ audioSeconds: 0.5, characters: 1 }, 'voice', table)).toBe(9.5)
})

test.each([
  ['a unit without a price', { images: 1 }, 'chat'],
  ['a model that is not in the table', { images: 1 }, 'other'],
  ['a name that every object has', { images: 1 }, 'constructor'],
  ['no model named', { images: 1 }, undefined],
  ['one unit of several without a price', { audioSeconds: 1, images: 1 }, 'voice'],
])('%s makes the cost unknown', (_what, spending, model) => {
  expect(costOf(spending, model, table)).toBe('unknown')
})

test('returns a cost of 0 without usage', () => {
  expect(costOf({}, undefined, table)).toBe(0)
  expect(costOf({ images: 0, characters: 0 }, 'other', table)).toBe(0)
})

test('accepts a price of 0', () => {
  expect(costOf({ images: 3 }, 'free', { free: { images: 0 } })).toBe(0)
})

test('adds costs, and unknown makes the sum unknown', () => {
  expect(addCost(undefined, 2)).toBe(2)
  expect(addCost(1.5, 2)).toBe(3.5)
  expect(addCost('unknown', 2)).toBe('unknown')
  expect(addCost(1, 'unknown')).toBe('unknown')
  expect(addCost(undefined, 'unknown')).toBe('unknown')
})
