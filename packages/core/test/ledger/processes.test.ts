import { expect, test } from 'vitest'
import { proveBudget } from './prove-budget.js'

// All ten processes and a thousand runs: prove-processes.ts.
test('processes that are killed spend no more than the limit together, and most of it', {
  timeout: 120_000,
}, async () => {
  const tokens = 30_000
  const { charged, killed, ends } = await proveBudget({
    processes: 2,
    runs: 40,
    kills: 2,
    concurrency: 1,
    tokens,
  })
  expect(killed).toBe(2)
  expect(charged).toBeLessThanOrEqual(tokens)
  expect(charged).toBeGreaterThanOrEqual(0.8 * tokens)
  expect(Object.keys(ends).sort()).toEqual(['done', 'limit ledger'])
})
