import { expect, test } from 'vitest'
import { calculate } from './tools.js'

test('a calculation has a finite result or fails', async () => {
  expect(await calculate.call({ operation: 'divide', a: 144, b: 12 })).toEqual({ result: 12 })
  for (const [operation, a, b] of [
    ['divide', 5, 0],
    ['divide', 0, 0],
    ['multiply', 1e300, 1e300],
  ] as const)
    await expect(calculate.call({ operation, a, b })).rejects.toThrow(
      `${operation} of ${a} and ${b} has no finite result.`,
    )
})
