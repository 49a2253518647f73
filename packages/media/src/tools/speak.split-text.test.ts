import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitText } from './speak.js'

test('does not split a text within the limit', () => {
  expect(splitText('One. Two.', 9)).toEqual(['One. Two.'])
})

test('splits after sentences, as many as fit', () => {
  expect(splitText('One is here. Two is here. Three is here.', 30)).toEqual([
    'One is here. Two is here.',
    'Three is here.',
  ])
})

test('splits a long sentence between words, and a long word anywhere', () => {
  expect(splitText('alpha beta gamma delta', 11)).toEqual(['alpha beta', 'gamma delta'])
  expect(splitText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
})

test.each([
  ['alpha, beta', 6, ['alpha,', 'beta']],
  ['alpha, beta', 5, ['alpha', ',', 'beta']],
  ['word, '.repeat(4), 17, ['word, word, word,', 'word,']],
  ['costs 3.14 e.g. 1,000.50', 8, ['costs', '3.14', 'e.g.', '1,000.50']],
  ['(one)(two)', 5, ['(one)', '(two)']],
  ['今天很好，我们去。', 5, ['今天很好，', '我们去。']],
])('keeps punctuation with its word: %j, at most %i', (text, most, parts) => {
  expect(splitText(text, most)).toEqual(parts)
})

test('does not split a character', () => {
  expect(splitText('👍🏽👍🏽👍🏽', 4)).toEqual(['👍🏽', '👍🏽', '👍🏽'])
})

test('keeps any text complete and in order, with each part within the limit', () => {
  const bare = (text: string) => text.replace(/\s/g, '')
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 1, max: 60 }),
      (text, most) => {
        const parts = splitText(text, most)
        expect(bare(parts.join(''))).toBe(bare(text))
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(most)
      },
    ),
  )
})
