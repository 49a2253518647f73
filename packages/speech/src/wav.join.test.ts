import { expect, test } from 'vitest'
import { join } from './wav.js'

test('joins parts in order and skips empty ones', () => {
  const parts = [Int16Array.of(1, -2), new Int16Array(), Int16Array.of(3)]
  expect(join(parts, Int16Array)).toEqual(Int16Array.of(1, -2, 3))
})

test('joins no parts to an empty array', () => {
  expect(join([], Uint8Array)).toEqual(new Uint8Array())
})
