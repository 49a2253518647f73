import { expect, test } from 'vitest'
import { join } from './wav.js'

test('the parts follow one another in order, empty ones without a trace', () => {
  const parts = [Int16Array.of(1, -2), new Int16Array(), Int16Array.of(3)]
  expect(join(parts, Int16Array)).toEqual(Int16Array.of(1, -2, 3))
})

test('no parts make an empty array', () => {
  expect(join([], Uint8Array)).toEqual(new Uint8Array())
})
