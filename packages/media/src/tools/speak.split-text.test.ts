import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitText } from './speak.js'

test('a text that fits is not split', () => {
  expect(splitText('One. Two.', 9)).toEqual(['One. Two.'])
})

test('parts end with sentences, as many as fit', () => {
  expect(splitText('One is here. Two is here. Three is here.', 30)).toEqual([
    'One is here. Two is here.',
    'Three is here.',
  ])
})

test('a sentence that is too long ends between words, a word that is too long anywhere', () => {
  expect(splitText('alpha beta gamma delta', 11)).toEqual(['alpha beta', 'gamma delta'])
  expect(splitText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
})

test('no character is cut in half', () => {
  expect(splitText('👍🏽👍🏽👍🏽', 4)).toEqual(['👍🏽', '👍🏽', '👍🏽'])
})

test('any text: all of it is there in order, and no part is above the limit', () => {
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
