import { toBase64 } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import { fromBase64 } from './result.js'

test.each([0, 1, 2, 3, 0x8000, 0x8001, 200_000])('%i bytes survive base64', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  expect(fromBase64(toBase64(bytes))).toEqual(bytes)
})

test('reports text that is not valid base64', () => {
  expect(() => fromBase64('%%')).toThrow('invalid base64')
})
