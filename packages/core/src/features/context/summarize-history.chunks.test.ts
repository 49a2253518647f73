import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headOf, takeWhileFits } from './summarize-history.js'

const letters = (text: string) => text.length

test('lines are taken while they fit', () => {
  expect(takeWhileFits(['ab', 'cd', 'ef'], 4, letters)).toEqual({ part: ['ab', 'cd'], rest: ['ef'] })
  expect(takeWhileFits(['ab', 'cd'], 4, letters)).toEqual({ part: ['ab', 'cd'], rest: [] })
  expect(takeWhileFits(['ab', 'long line'], 4, letters)).toEqual({ part: ['ab'], rest: ['long line'] })
  expect(takeWhileFits([], 4, letters)).toEqual({ part: [], rest: [] })
})

test('any lines come to parts that fit, with nothing lost and no character cut in half', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 20 })
  fc.assert(
    fc.property(lines, fc.integer({ min: 2, max: 30 }), (given, room) => {
      const parts: (readonly string[])[] = []
      for (let left: readonly string[] = given; left.length > 0; ) {
        const { part, rest } = takeWhileFits(left, room, letters)
        expect(part.join('').length).toBeLessThanOrEqual(room)
        expect(part.every((line) => line.isWellFormed())).toBe(true)
        parts.push(part)
        left = rest
      }
      expect(parts.flat().join('')).toBe(given.join(''))
    }),
  )
})

test('where nothing fits, one character is taken all the same', () => {
  expect(headOf('abc', () => false)).toBe('a')
  expect(headOf('\u{1f600}b', () => false)).toBe('\u{1f600}')
})
