import { expect, test } from 'vitest'
import { textFrom } from './detect-type.js'

test('bytes that are text say what the server says in them', () => {
  expect(textFrom(new TextEncoder().encode('{"error":{"message":"No paint."}}'))).toBe('No paint.')
})

test('bytes that are no text are told by their beginning', () => {
  expect(textFrom(Uint8Array.from([0, 1, 255]))).toBe('3 bytes that begin 00 01 ff')
})
