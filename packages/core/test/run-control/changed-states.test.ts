import { expect, test } from 'vitest'
import { proveChangedStates } from './changed-states.js'

test('300 changed states start no function with arguments that were not shown', async () => {
  const { cases, started, refused, ended } = await proveChangedStates(300)
  const times = Object.values(refused).reduce((sum, one) => sum + one, 0)
  expect(started + ended + times).toBe(cases)
  // Each outcome is reached, or the changes would prove nothing.
  expect(started).toBeGreaterThan(30)
  expect(refused.invalid_state).toBeGreaterThan(30)
  expect(refused.conflict).toBeGreaterThan(5)
})
