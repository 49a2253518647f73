import { expect, test } from 'vitest'
import { joinBytes } from './bytes.js'

test('joins parts in order, also empty ones and none', () => {
  const parts = [Uint8Array.of(1, 2), new Uint8Array(), Buffer.from([3])]
  expect(joinBytes(parts)).toStrictEqual(Uint8Array.of(1, 2, 3))
  expect(joinBytes([])).toStrictEqual(new Uint8Array())
})
