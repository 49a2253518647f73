import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paginate } from './terminal.js'

test('shows lines that fit as one page', () => {
  expect(paginate(['a', 'b'], { columns: 10, rows: 5 })).toEqual([
    { text: 'a\nb', left: { lines: 0, characters: 0 } },
  ])
})

test('wraps a long line over several rows and pages', () => {
  expect(paginate(['ab', 'x'.repeat(25), 'c'], { columns: 10, rows: 3 })).toEqual([
    { text: `ab\n${'x'.repeat(20)}`, left: { lines: 2, characters: 6 } },
    { text: `${'x'.repeat(5)}\nc`, left: { lines: 0, characters: 0 } },
  ])
})

test('does not split wide characters', () => {
  const [first] = paginate(['天'.repeat(20)], { columns: 5, rows: 3 })
  expect(first).toEqual({ text: '天'.repeat(6), left: { lines: 1, characters: 14 } })
})

test('shows all lines completely, with nothing left after the last page', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[\p{Cc}]/gu, ''))
  fc.assert(
    fc.property(
      fc.array(line),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ max: 9 }),
      (lines, columns, rows) => {
        const pages = paginate(lines, { columns, rows })
        const shown = pages.map(({ text }) => text.replaceAll('\n', '')).join('')
        expect(shown).toBe(lines.join(''))
        if (pages.length > 0) expect(pages.at(-1)?.left).toEqual({ lines: 0, characters: 0 })
      },
    ),
  )
})
