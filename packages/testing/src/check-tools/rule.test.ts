import { expect, test } from 'vitest'
import { overlap, significantWords, splitWords } from './rule.js'

test('a name has words as a text has, however they are joined', () => {
  expect(splitWords('getUser_name')).toEqual(['get', 'user', 'name'])
  expect(splitWords('Gets the e-mail, at once.')).toEqual(['gets', 'the', 'e', 'mail', 'at', 'once'])
})

test('where no spaces are written each sign is a word', () => {
  expect(splitWords('天気を調べる')).toHaveLength(6)
  expect(splitWords('Wetter für Österreich')).toEqual(['wetter', 'für', 'österreich'])
})

test('small words and endings tell nothing', () => {
  expect(significantWords('Gets the cities')).toEqual(significantWords('get a city'))
  expect(significantWords('this is the tool for that').size).toBe(0)
})

test('what two have in common is 0 to 1', () => {
  const [one, other] = [significantWords('reads a page'), significantWords('reads a letter')]
  expect(overlap(one, one)).toBe(1)
  expect(overlap(one, other)).toBeCloseTo(1 / 3)
  expect(overlap(one, new Set())).toBe(0)
})
