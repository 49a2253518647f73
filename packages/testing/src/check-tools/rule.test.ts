import { expect, test } from 'vitest'
import { overlap, significantWords, splitWords } from './rule.js'

test('splits names into words like text, whatever joins them', () => {
  expect(splitWords('getUser_name')).toEqual(['get', 'user', 'name'])
  expect(splitWords('Gets the e-mail, at once.')).toEqual(['gets', 'the', 'e', 'mail', 'at', 'once'])
})

test('each character is a word in scripts without spaces', () => {
  expect(splitWords('天気を調べる')).toHaveLength(6)
  expect(splitWords('Wetter für Österreich')).toEqual(['wetter', 'für', 'österreich'])
})

test('stop words and endings are not significant', () => {
  expect(significantWords('Gets the cities')).toEqual(significantWords('get a city'))
  expect(significantWords('this is the tool for that').size).toBe(0)
})

test('the overlap of two sets is 0 to 1', () => {
  const [one, other] = [significantWords('reads a page'), significantWords('reads a letter')]
  expect(overlap(one, one)).toBe(1)
  expect(overlap(one, other)).toBeCloseTo(1 / 3)
  expect(overlap(one, new Set())).toBe(0)
})
