import { expect, test } from 'vitest'
import { proveKills } from './prove-kills.js'

test('processes that are killed lose no event, repeat no effect, and leave no question unanswered', async () => {
  const { faults, failures, kills, runs, effects } = await proveKills(3, 2)
  expect([...faults, ...failures]).toEqual([])
  expect({ kills, hasRuns: runs > 0, hasEffects: effects > 0 }).toEqual({
    kills: 3,
    hasRuns: true,
    hasEffects: true,
  })
})
