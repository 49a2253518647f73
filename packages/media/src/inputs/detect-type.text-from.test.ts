import { expect, test } from 'vitest'
import { textFrom } from './detect-type.js'

test("returns the server's message from text", () => {
  expect(textFrom(new TextEncoder().encode('{"error":{"message":"No paint."}}'))).toBe('No paint.')
})

test('describes other bytes by their first ones', () => {
  expect(textFrom(Uint8Array.from([0, 1, 255]))).toBe('3 bytes that start with 00 01 ff')
})
