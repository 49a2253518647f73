import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { joinTexts } from './join-transcripts.js'

const overlapping = (first: string, second: string) =>
  joinTexts([
    { text: first, overlaps: false },
    { text: second, overlaps: true },
  ])

test('joins texts without overlap and keeps doubled words', () => {
  const pieces = ['He said no. ', ' No, he said.', '', 'Then he left.'].map((text) => ({
    text,
    overlaps: false,
  }))
  expect(joinTexts(pieces)).toBe('He said no. No, he said. Then he left.')
})

test.each([
  ['equal words', 'the quick brown fox', 'brown fox jumps over', 'the quick brown fox jumps over'],
  [
    'other case and marks',
    'We met in Oslo, last year.',
    'Last year we moved.',
    'We met in Oslo, last year we moved.',
  ],
  ['a word cut in half', 'one two three four fi', 'wo three four five', 'one two three four five'],
  ['a single shared word at the seam', 'alpha beta', 'beta gamma', 'alpha beta gamma'],
  ['apostrophes of two kinds', 'and it’s not', "it's not mine", 'and it’s not mine'],
  ['nothing shared', 'alpha beta', 'gamma delta', 'alpha beta gamma delta'],
  [
    'one shared word away from the seam',
    'the end of a long day',
    'night in the city',
    'the end of a long day night in the city',
  ],
  ['no text before', '', 'gamma', 'gamma'],
  ['no text after', 'alpha', ' ', 'alpha'],
  ['scripts without spaces', '今日は天気がいい', '天気がいいですね', '今日は天気がいいですね'],
])('joins an overlap with %s', (_, first, second, joined) => {
  expect(overlapping(first, second)).toBe(joined)
})

test('adds no space between scripts without spaces', () => {
  expect(joinTexts(['今日は。', '天気'].map((text) => ({ text, overlaps: false })))).toBe('今日は。天気')
})

test('joins any text of distinct words, word for word', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 12, maxLength: 60 })
  const cuts = fc.array(
    fc.record({ at: fc.double({ min: 0.1, max: 0.9, noNaN: true }), shared: fc.integer({ min: 0, max: 8 }) }),
    { maxLength: 3 },
  )
  fc.assert(
    fc.property(words, cuts, (all, seams) => {
      const ends = [...new Set(seams.map(({ at }) => Math.ceil(at * all.length)))].sort((a, b) => a - b)
      let from = 0
      const pieces = [...ends, all.length].map((end, i) => {
        const shared = i === 0 ? 0 : Math.min(seams[i - 1]?.shared ?? 0, from)
        const piece = { text: all.slice(from - shared, end).join(' '), overlaps: shared > 0 }
        from = end
        return piece
      })
      expect(joinTexts(pieces)).toBe(all.join(' '))
    }),
    { numRuns: cases(500) },
  )
})

test('keeps the shared words once, whatever words are wrong at the split', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(words, (all) => {
      const first = [...all.slice(0, 12), 'xx'].join(' ')
      const second = ['yy', ...all.slice(8)].join(' ')
      expect(overlapping(first, second)).toBe(all.join(' '))
    }),
  )
})
