import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { joinTranscripts } from './join-transcripts.js'

const segment = (text: string, start: number, end: number) => ({ text, start, end })

test('shifts times by the start of each chunk', () => {
  const joined = joinTranscripts([
    { text: 'One.', segments: [segment('One.', 0.2, 1)], overlaps: false, at: 0 },
    { text: 'Two.', segments: [segment('Two.', 0.1, 0.9)], overlaps: false, at: 118.26 },
  ])
  expect(joined).toEqual({
    text: 'One. Two.',
    segments: [segment('One.', 0.2, 1), segment('Two.', 118.36, 119.16)],
  })
})

test('has the shared words of two chunks once, in segments as in the text', () => {
  const joined = joinTranscripts([
    {
      text: 'We met in Oslo. It was cold that day, and',
      segments: [segment('We met in Oslo.', 0, 4), segment('It was cold that day, and', 5, 10)],
      overlaps: false,
      at: 0,
    },
    {
      text: 'cold that day. We went home.',
      segments: [segment('cold that day.', 0, 2.5), segment('We went home.', 3, 5)],
      overlaps: true,
      at: 7,
    },
  ])
  expect(joined.text).toBe('We met in Oslo. It was cold that day. We went home.')
  expect(joined.segments).toEqual([
    segment('We met in Oslo.', 0, 4),
    segment('It was cold that day.', 5, 10),
    segment('We went home.', 10, 12),
  ])
})

test('cuts a segment that starts with shared words', () => {
  const { segments } = joinTranscripts([
    { text: 'one two three four', segments: [segment('one two three four', 0, 8)], overlaps: false, at: 0 },
    { text: 'three four five six', segments: [segment('three four five six', 0, 8)], overlaps: true, at: 5 },
  ])
  expect(segments).toEqual([segment('one two three four', 0, 8), segment('five six', 8, 13)])
})

test('keeps both chunks where they share no words, in order', () => {
  const { segments } = joinTranscripts([
    { text: 'alpha', segments: [segment('alpha', 0, 8)], overlaps: false, at: 0 },
    { text: 'beta', segments: [segment('beta', 0.5, 1)], overlaps: true, at: 5 },
  ])
  expect(segments).toEqual([segment('alpha', 0, 8), segment('beta', 8, 8)])
})

test('silence in a chunk changes nothing', () => {
  const silent = { text: '', segments: [], overlaps: true, at: 5 }
  const spoken = { text: 'alpha', segments: [segment('alpha', 0, 4)], overlaps: false, at: 0 }
  expect(joinTranscripts([spoken, silent]).segments).toEqual([segment('alpha', 0, 4)])
  expect(
    joinTranscripts([
      { ...silent, overlaps: false },
      { ...spoken, at: 9 },
    ]).segments,
  ).toEqual([segment('alpha', 9, 13)])
})

test('has each word once and in order, with its time, whatever words are wrong at the split', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 30, maxLength: 60 })
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 14, max: 24 }),
      fc.integer({ min: 4, max: 10 }),
      (all, end, shared) => {
        // One word each second.
        const timed = (from: number, to: number) =>
          all.slice(from, to).map((text, i) => segment(text, i, i + 0.5))
        const from = end - shared
        const garbled = [segment('xx', 0, 0.4), ...timed(from, all.length).slice(1)]
        const chunks = [
          { words: timed(0, end), overlaps: false, at: 0 },
          { words: garbled, overlaps: true, at: from },
        ].map((chunk) => ({ ...chunk, text: chunk.words.map(({ text }) => text).join(' ') }))
        const joined = joinTranscripts(chunks)
        expect(joined.text).toBe(all.join(' '))
        expect(joined.words).toEqual(all.map((text, i) => segment(text, i, i + 0.5)))
      },
    ),
    { numRuns: cases(300) },
  )
})
