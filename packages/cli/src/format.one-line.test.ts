import { expect, test } from 'vitest'
import { expectLinear } from '../../core/test/expect-linear.js'
import { toOneLine } from './format.js'

test.each([
  ['joins lines', 'a\n  b\t c ', 20, 'a b c'],
  ['cuts long text to the given columns', 'abcdefgh', 5, 'abcd…'],
  ['counts wide letters as two columns', '天気天気', 5, '天気…'],
  ['keeps text that fits', '天気', 4, '天気'],
  ['does not split a character of several code points', 'ab👩‍👩‍👧cd', 4, 'ab…'],
  ['escapes terminal control sequences', 'a\u001b[2Jb\u009bd', 20, 'a\\u001b[2Jb\\u009bd'],
  ['escapes bidirectional marks', 'a\u202eb\u2066c\u200f', 30, 'a\\u202eb\\u2066c\\u200f'],
  ['replaces base64 by its length', `{"image":"${'QUJD'.repeat(40)}"}`, 60, '{"image":"(160 characters)"}'],
  ['returns an empty string for zero columns', 'abc', 0, '…'],
])('%s', (_, text, columns, shown) => {
  expect(toOneLine(text, columns)).toBe(shown)
})

test('reads a long text in linear time', () =>
  expectLinear((words) => {
    const text = 'ab '.repeat(words)
    return () => expect(toOneLine(text, 10)).toBe('ab ab ab…')
  }, 100_000))
