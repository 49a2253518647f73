import { expect, test } from 'vitest'
import { rateLimit } from './rate-limit.js'

test.each([
  [{ calls: 0, intervalMs: 1 }, 'rateLimit: calls is 0. Use a whole number of at least 1.'],
  [{ calls: 1.5, intervalMs: 1 }, 'rateLimit: calls is 1.5. Use a whole number of at least 1.'],
  [{ calls: '5' as never, intervalMs: 1 }, 'rateLimit: calls is 5. Use a whole number of at least 1.'],
  [{ calls: 1, intervalMs: 0 }, 'rateLimit: intervalMs is 0. Use 1 to 2147483647.'],
  [{ calls: 1, intervalMs: Number.NaN }, 'rateLimit: intervalMs is NaN. Use 1 to 2147483647.'],
  [{ calls: 1, intervalMs: 2 ** 31 }, 'rateLimit: intervalMs is 2147483648. Use 1 to 2147483647.'],
])('rejects %j', (rate, message) => {
  expect(() => rateLimit(rate)).toThrow(expect.objectContaining({ code: 'invalid_tool', message }))
})

test.each([
  { calls: 1, intervalMs: 1 },
  { calls: 100, intervalMs: 2 ** 31 - 1 },
])('accepts %j', (rate) => {
  expect(rateLimit(rate)).toMatchObject(rate)
})
