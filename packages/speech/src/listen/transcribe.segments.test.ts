import { expect, test } from 'vitest'
import { toSegments, toSpokenWords } from './transcribe.js'

const word = (text: string, start: number, end: number) => ({ word: text, start, end, confidence: 0.5 })

test('divides words at pauses', () => {
  const segments = toSegments([word('one', 0, 0.5), word('two', 0.6, 1), word('three', 1.5, 2)])
  expect(segments.map(({ text, start, end }) => ({ text, start, end }))).toEqual([
    { text: 'one two', start: 0, end: 1 },
    { text: 'three', start: 1.5, end: 2 },
  ])
})

test('divides words without a pause after 8 s', () => {
  const words = Array.from({ length: 20 }, (_, index) => word('on', index, index + 1))
  expect(toSegments(words).map(({ words }) => words.length)).toEqual([8, 8, 4])
})

test('leaves out silence and noise, and maps pronunciations to their word', () => {
  const heard = (text: string, from: number, to: number) => ({
    word: text,
    from,
    to,
    fit: -1,
    confidence: 0.5,
  })
  expect(toSpokenWords([heard('<sil>', 0, 9), heard('the(2)', 10, 19), heard('[NOISE]', 20, 29)], 5)).toEqual(
    [{ word: 'the', start: 5.1, end: 5.2, confidence: 0.5 }],
  )
})
