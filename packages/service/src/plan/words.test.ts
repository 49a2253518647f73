import { expect, test } from 'vitest'
import { splitName, toConcept, toConcepts } from './words.js'

test.each([
  ['images', 'image'],
  ['variations', 'vary'],
  ['calculator', 'calculating'],
  ['translated', 'translation'],
  ['cities', 'city'],
  ['searching', 'search'],
  ['planned', 'plan'],
  ['draw', 'picture'],
  ['aloud', 'speech'],
])('%s and %s mean the same', (one, other) => {
  expect(toConcept(one)).toBe(toConcept(other))
})

test.each([
  ['timer', 'time'],
  ['news', 'new'],
  ['speak', 'special'],
])('%s and %s do not', (one, other) => {
  expect(toConcept(one)).not.toBe(toConcept(other))
})

test('splits names into words', () => {
  expect(splitName('getHTTPCode_byId-now')).toBe('get HTTPCode by Id now')
  expect(toConcepts('maxPrice')).toEqual(toConcepts('max_price'))
})

test('joins phrases that act as one word', () => {
  expect(toConcepts('read it out loud')).toEqual(toConcepts('speak'))
  expect(toConcepts('look up')).toEqual(toConcepts('search'))
})
