import { expect, test } from 'vitest'
import { joinBytes } from './bytes.js'

test('parts are joined in order, empty ones and none at all included', () => {
  const parts = [Uint8Array.of(1, 2), new Uint8Array(), Buffer.from([3])]
  expect(joinBytes(parts)).toStrictEqual(Uint8Array.of(1, 2, 3))
  expect(joinBytes([])).toStrictEqual(new Uint8Array())
})
