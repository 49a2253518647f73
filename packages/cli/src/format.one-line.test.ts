import { expect, test } from 'vitest'
import { cpuTime } from '../../core/test/cpu-time.js'
import { oneLine } from './format.js'

test.each([
  ['lines become one', 'a\n  b\t c ', 20, 'a b c'],
  ['what is too long is cut to the columns it takes', 'abcdefgh', 5, 'abcd…'],
  ['wide letters take two columns', '天気天気', 5, '天気…'],
  ['what fits is left whole', '天気', 4, '天気'],
  ['a sign of several characters is not cut in half', 'ab👩‍👩‍👧cd', 4, 'ab…'],
  ['what would command the terminal is an escape', 'a\u001b[2Jb\u009bd', 20, 'a\\u001b[2Jb\\u009bd'],
  ['what would turn the line round is an escape', 'a\u202eb\u2066c\u200f', 30, 'a\\u202eb\\u2066c\\u200f'],
  ['base64 says nothing', `{"image":"${'QUJD'.repeat(40)}"}`, 60, '{"image":"(160 characters)"}'],
  ['nothing fits into no columns', 'abc', 0, '…'],
])('%s', (_, text, columns, shown) => {
  expect(oneLine(text, columns)).toBe(shown)
})

test('a long text is not looked through to its end', async () => {
  const took = await cpuTime(() => {
    expect(oneLine('ab '.repeat(5_000_000), 10)).toBe('ab ab ab…')
  })
  expect(took).toBeLessThan(1000)
})
