import { expect, test } from 'vitest'
import { visibleText } from './json.js'

test.each([
  ...[0x00, 0x07, 0x0a, 0x0d, 0x1b, 0x7f, 0x9b, 0xad, 0x034f, 0x061c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d],
  ...[0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2066, 0x2067, 0x2068],
  ...[0x2069, 0x206a, 0x3164, 0xfeff, 0xffa0],
])('escapes the character %i', (code) => {
  const written = `\\u${code.toString(16).padStart(4, '0')}`
  expect(visibleText(`a${String.fromCharCode(code)}b`)).toBe(`a${written}b`)
  expect(JSON.parse(`"${written}"`)).toBe(String.fromCharCode(code))
})

test('escapes a surrogate pair as two escapes', () => {
  expect(visibleText('a\u{e0041}b')).toBe('a\\udb40\\udc41b')
})

test.each([
  'words, "quotes" and \\u202e as it is written',
  'שלום عربى 天気 é e\u0301',
  '👩‍👩‍👧 ❤️ 👍🏽',
  'می‌خواهم क्‍ष',
])('keeps %s', (text) => {
  expect(visibleText(text)).toBe(text)
})
