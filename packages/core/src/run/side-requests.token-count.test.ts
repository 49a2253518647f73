import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokenCount } from './estimate.js'

const likelyTokens =
  /[\u2e80-\ud7ff\uf900-\uffef\p{Extended_Pictographic}]|[a-z]{1,8}|[\p{L}\p{M}]{1,4}|\d{1,3}|[^\s\p{L}\d]{1,6}/giu

test('text of one byte a character counts as other text does', () => {
  const unit = fc.constantFrom(
    ...'abcXYZ0123456789 \t\n_-+{}":,.\u0000\u007f',
    'internationalisation',
    '12345678',
    '{{{{{{{{',
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      expect(estimateTokenCount(text)).toBe(text.match(likelyTokens)?.length ?? 0)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['', 0],
  ['Hello world', 2],
  ['{"city": "Oslo", "days": 14}', 11],
  ['日本語です', 5],
  ['Grüße 👋', 3],
])('%j has %i tokens', (text, count) => {
  expect(estimateTokenCount(text)).toBe(count)
})
