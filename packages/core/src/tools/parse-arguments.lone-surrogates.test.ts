import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.js'

test.each([
  ['"a\ud83d"', '"a\ufffd"'],
  ['"\\ud83d"', '"\ufffd"'],
  ['"\\uDFFF"', '"\ufffd"'],
  ['"\\ud83d\\ude00"', '"😀"'],
  ['"\\ud7ff"', '"\\ud7ff"'],
  ['"\\ue000"', '"\\ue000"'],
  ['"😀"', '"😀"'],
  ['{}', '{}'],
])('keeps the text of %j as %j', (json, kept) => {
  expect(parseArguments(`{"a":${json}}`)).toMatchObject({ ok: true, text: `{"a":${kept}}` })
})

test('replaces lone surrogates everywhere, and keeps pairs', () => {
  const value = {
    good: '😀',
    'k\ud83d': [{ a: 'x\udc00' }],
    n: 1,
    none: null,
    deep: { 'd\ud83d': true, e: 2 },
  }
  expect(parseArguments(JSON.stringify(value))).toMatchObject({
    value: {
      good: '😀',
      'k\ufffd': [{ a: 'x\ufffd' }],
      n: 1,
      none: null,
      deep: { 'd\ufffd': true, e: 2 },
    },
  })
})
