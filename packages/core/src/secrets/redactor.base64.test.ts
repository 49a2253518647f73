import { expect, test } from 'vitest'
import { withoutBase64 } from './redactor.js'

const line = 'aB3/'.repeat(16)

test.each([
  [
    'a short address without a type',
    'data:;base64,aGVsbG8gd29y',
    /^data:;\[base64, 12 characters, \w{16}\]$/,
  ],
  ['an address in capitals', 'DATA:image/png;BASE64,iVBORw0KGgoAAAA', /^data:image\/png;\[base64, 15 char/],
  ['indented lines', `  ${line}\n  ${line}\n  ${line}`, /^ {2}\[base64, 198 characters, \w{16}\]$/],
])('%s', (_what, text, shown) => {
  expect(withoutBase64(text)).toMatch(shown)
})

test('keeps lines of words of any length', () => {
  const text = `${'word'.repeat(16)}\n  ${'word'.repeat(16)}\n  ${'word'.repeat(16)}\n`
  expect(withoutBase64(text)).toBe(text)
})
