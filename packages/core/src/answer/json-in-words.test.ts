import { expect, test } from 'vitest'
import { jsonInWords } from './json-in-words.js'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Here: {"a":1}', { a: 1 }],
  ['Here:\n```json\n{"a":[1]}\n```\n', { a: [1] }],
  ['Here: {"a":"```"}  ```', { a: '```' }],
])('%j is read', (text, value) => {
  expect(jsonInWords(text, '{')).toEqual({ value })
})

test('an answer that goes on in blank space is given up at once, however long', () => {
  const begun = performance.now()
  expect(jsonInWords(`Here: {"a":${' \n'.repeat(100_000)}b`, '{')).toBeUndefined()
  expect(performance.now() - begun).toBeLessThan(1000)
})
