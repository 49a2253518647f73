import { expect, test } from 'vitest'
import { decodeBase64 } from './fetch-url.js'

const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)

test.each(['base64', 'base64url'] as const)('decodes %s', (alphabet) => {
  expect(decodeBase64(Buffer.from(bytes).toString(alphabet))).toEqual(bytes)
})

test('accepts line breaks', () => {
  expect(decodeBase64('AAEC\r\nAwQF\n')).toEqual(bytes.subarray(0, 6))
})

test.each(['<html>', 'AAEC=AAA', 'ä'])('rejects %j', (text) => {
  expect(decodeBase64(text)).toBeUndefined()
})
