import { expect, test } from 'vitest'
import { expectLinear } from '../../../test/expect-linear.js'
import { extractJson } from './structured-output.js'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Here: {"a":1}', { a: 1 }],
  ['Here:\n```json\n{"a":[1]}\n```\n', { a: [1] }],
  ['Here: {"a":"```"}  ```', { a: '```' }],
])('%j is read', (text, value) => {
  expect(extractJson(text, '{')).toEqual({ value })
})

test.each(['{"a":1,}', "{'a':1}", '{"a":True}', '{"a":1} is it'])('%s is no JSON', (text) => {
  expect(extractJson(text, '{')).toBeUndefined()
})

test.each([
  ['```json\n"a"\n```', 'a'],
  ['```\n5```\n', 5],
])('%j is read where a value need not be an object', (text, value) => {
  expect(extractJson(text, '{[')).toEqual({ value })
})

test('an answer that goes on in blank space is read in linear time', () =>
  expectLinear((lines) => {
    const text = `Here: {"a":${' \n'.repeat(lines)}b`
    return () => expect(extractJson(text, '{')).toBeUndefined()
  }, 10_000))
