import { expect, test } from 'vitest'
import { sanitizeText } from './sanitize-text.js'

test.each([
  ['plain text', 'Reads a file.\n\tTwice.', 'Reads a file.\n\tTwice.'],
  ['emoji of several parts', '👩‍👩‍👧 ok', '👩‍👩‍👧 ok'],
  ['control characters', 'a\u0000b\u001b[31mc', 'ab[31mc'],
  ['reversing characters', 'a\u202eb', 'ab'],
  ['invisible characters', `a${String.fromCodePoint(0xe0041, 0xe0042)}b\u200b`, 'ab'],
  [
    'marks that choose a form',
    `a${String.fromCodePoint(0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0x180b)}b❤\ufe0f`,
    'ab❤',
  ],
  ['blank letters', 'a\u115f\u1160\u3164\uffa0\u034f\u17b4b', 'ab'],
  ['repeated joiners', 'a\u200d\u200d\ufe0f\u200db', 'a\u200db'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
])('%s', (_what, given, expected) => {
  expect(sanitizeText(given, 100)).toBe(expected)
})

test('cuts long text with an ellipsis, not inside a character', () => {
  expect(sanitizeText('abcdef', 4)).toBe('abc…')
  expect(sanitizeText('ab😀cd', 4)).toBe('ab\ufffd…')
})
