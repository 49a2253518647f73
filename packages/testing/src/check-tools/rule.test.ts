import { expect, test } from 'vitest'
import { overlap, plainWords, tellingWords } from './rule.js'

test('a name has words as a text has, however they are joined', () => {
  expect(plainWords('getUser_name')).toEqual(['get', 'user', 'name'])
  expect(plainWords('Gets the e-mail, at once.')).toEqual(['gets', 'the', 'e', 'mail', 'at', 'once'])
})

test('where no spaces are written each sign is a word', () => {
  expect(plainWords('天気を調べる')).toHaveLength(6)
  expect(plainWords('Wetter für Österreich')).toEqual(['wetter', 'für', 'österreich'])
})

test('small words and endings tell nothing', () => {
  expect(tellingWords('Gets the cities')).toEqual(tellingWords('get a city'))
  expect(tellingWords('this is the tool for that').size).toBe(0)
})

test('what two have in common is 0 to 1', () => {
  const [one, other] = [tellingWords('reads a page'), tellingWords('reads a letter')]
  expect(overlap(one, one)).toBe(1)
  expect(overlap(one, other)).toBeCloseTo(1 / 3)
  expect(overlap(one, new Set())).toBe(0)
})
