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
