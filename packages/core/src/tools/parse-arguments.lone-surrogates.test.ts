import { expect, test } from 'vitest'
import { mayHoldLoneSurrogate, toWellFormed } from './parse-arguments.js'

test.each([
  ['"a\ud83d"', true],
  ['"\\ud83d"', true],
  ['"\\uDFFF"', true],
  ['"\\ud7ff"', false],
  ['"\\ue000"', false],
  ['"😀"', false],
  ['{}', false],
])('%j may hold a lone surrogate: %j', (json, may) => {
  expect(mayHoldLoneSurrogate(json)).toBe(may)
})

test('replaces lone surrogates everywhere, and keeps pairs', () => {
  const value = {
    good: '😀',
    'k\ud83d': [{ a: 'x\udc00' }],
    n: 1,
    none: null,
    deep: { 'd\ud83d': true, e: 2 },
  }
  expect(toWellFormed(value)).toEqual({
    good: '😀',
    'k\ufffd': [{ a: 'x\ufffd' }],
    n: 1,
    none: null,
    deep: { 'd\ufffd': true, e: 2 },
  })
})
