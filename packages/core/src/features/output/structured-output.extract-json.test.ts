import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.js'
import { extractJson } from './structured-output.js'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Here: {"a":1}', { a: 1 }],
  ['Here:\n```json\n{"a":[1]}\n```\n', { a: [1] }],
  ['Here: {"a":"```"}  ```', { a: '```' }],
])('%j is read', (text, value) => {
  expect(extractJson(text, '{')).toEqual({ value })
})

test('an answer that goes on in blank space is given up at once, however long', async () => {
  const took = await cpuTime(() => {
    expect(extractJson(`Here: {"a":${' \n'.repeat(100_000)}b`, '{')).toBeUndefined()
  })
  expect(took).toBeLessThan(1000)
})
