import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSentences } from './sentences.js'

test.each([
  ['One. Two! "Three?" Four', ['One.', 'Two!', '"Three?"', 'Four']],
  [
    'Dr. Smith met J. R. Jones at 3.30 p.m. today. Good.',
    ['Dr. Smith met J. R. Jones at 3.30 p.m. today.', 'Good.'],
  ],
  ['A heading\n\nA line\nand its end', ['A heading', 'A line and its end']],
  ['Yes. ... !!! (?) No.', ['Yes.', 'No.']],
  ['', []],
  [' \n\n ?! ', []],
])('speaks %j as %j', (text, sentences) => {
  expect(toSentences(text)).toEqual(sentences)
})

test('cuts a long sentence at a comma, else between words, else anywhere', () => {
  const words = 'word '.repeat(30).trim()
  expect(toSentences(`${words}, ${words}`)).toEqual([`${words},`, words])
  expect(toSentences(`${words} ${words}`).map((piece) => piece.length)).toEqual([199, 99])
  expect(toSentences('x'.repeat(450)).map((piece) => piece.length)).toEqual([200, 200, 50])
})

test('pieces keep every letter and digit in order, within the length limit', () => {
  const spoken = (text: string) => text.replace(/[^a-z0-9]/gi, '')
  const text = fc.string({ unit: fc.constantFrom(...'aB1 .,;?!"\n'), maxLength: 1500 })
  fc.assert(
    fc.property(text, (any) => {
      const pieces = toSentences(any)
      expect(spoken(pieces.join(''))).toBe(spoken(any))
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(200)
    }),
  )
})

test.each(['"', ' ', '. ', '.\n', '\n', ', '])(
  '100 000 characters of %j are looked through in one go',
  (unit) => {
    expect(toSentences(unit.repeat(100_000 / unit.length))).toEqual([])
  },
)
