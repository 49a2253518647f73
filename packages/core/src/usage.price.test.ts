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

const cachedTokens = {
  inputTokens: 10_000,
  outputTokens: 100,
  totalTokens: 10_100,
  cachedInputTokens: 9900,
  cacheWriteTokens: 60,
  reasoningTokens: 70,
}

test.each<[string, PriceTable[string], number | 'unknown']>([
  [
    'each part by its own price',
    {
      inputTokens: 10,
      cachedInputTokens: 1,
      cacheWriteTokens: 12,
      outputTokens: 40,
      reasoningTokens: 30,
    },
    40 * 10 + 9900 * 1 + 60 * 12 + 30 * 40 + 70 * 30,
  ],
  ['parts without a price as their whole', { inputTokens: 10, outputTokens: 40 }, 100_000 + 4000],
  [
    'a part by its price of 0',
    { inputTokens: 10, cachedInputTokens: 0, outputTokens: 40 },
    100 * 10 + 100 * 40,
  ],
  ['nothing without a price for the rest', { cachedInputTokens: 1, outputTokens: 40 }, 'unknown'],
])('prices %s', (_what, price, cost) => {
  expect(costOf(cachedTokens, 'm', { m: price })).toBe(cost)
})

test('a part that exceeds its whole makes no cost negative', () => {
  const tokens = { inputTokens: 10, outputTokens: 0, totalTokens: 10, cachedInputTokens: 20 }
  expect(costOf(tokens, 'm', { m: { inputTokens: 10, cachedInputTokens: 1 } })).toBe(20)
})

test('adds costs, and unknown makes the sum unknown', () => {
  expect(addCost(undefined, 2)).toBe(2)
  expect(addCost(1.5, 2)).toBe(3.5)
  expect(addCost('unknown', 2)).toBe('unknown')
  expect(addCost(1, 'unknown')).toBe('unknown')
  expect(addCost(undefined, 'unknown')).toBe('unknown')
})
