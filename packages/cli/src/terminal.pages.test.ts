import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPages } from './terminal.js'

test('lines that fit are one page', () => {
  expect(toPages(['a', 'b'], { columns: 10, rows: 5 })).toEqual([
    { text: 'a\nb', left: { lines: 0, characters: 0 } },
  ])
})

test('a line that is longer than the terminal is wide takes several rows, and goes on on the next page', () => {
  expect(toPages(['ab', 'x'.repeat(25), 'c'], { columns: 10, rows: 3 })).toEqual([
    { text: `ab\n${'x'.repeat(20)}`, left: { lines: 2, characters: 6 } },
    { text: `${'x'.repeat(5)}\nc`, left: { lines: 0, characters: 0 } },
  ])
})

test('wide signs are not cut in half', () => {
  const [first] = toPages(['天'.repeat(20)], { columns: 5, rows: 3 })
  expect(first).toEqual({ text: '天'.repeat(6), left: { lines: 1, characters: 14 } })
})

test('pages hold all of any lines, and the last has nothing left', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[\p{Cc}]/gu, ''))
  fc.assert(
    fc.property(
      fc.array(line),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ max: 9 }),
      (lines, columns, rows) => {
        const pages = toPages(lines, { columns, rows })
        const shown = pages.map(({ text }) => text.replaceAll('\n', '')).join('')
        expect(shown).toBe(lines.join(''))
        if (pages.length > 0) expect(pages.at(-1)?.left).toEqual({ lines: 0, characters: 0 })
      },
    ),
  )
})
