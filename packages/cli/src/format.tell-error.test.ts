import { CapstanError } from '@capstan/core'
import { expect, test } from 'vitest'
import { tellError, withoutSecrets } from './format.js'

test.each([
  ['a code and a sentence', new CapstanError('auth', 'The key is wrong.'), 'auth: The key is wrong.'],
  ['the sentence of any error', new TypeError('No such thing'), 'No such thing'],
  ['the name of an error that says nothing', new RangeError(), 'RangeError'],
  ['what was thrown that is no error', null, 'null'],
  ['a text without commands to the terminal', new Error('a\u001b[31mb'), 'a\\u001b[31mb'],
])('%s is told', (_, thrown, told) => {
  expect(tellError(thrown)).toBe(told)
})

test('to find where it comes from, the stack and the causes are told', () => {
  const told = tellError(new Error('outside', { cause: new TypeError('inside') }), true)
  expect(told).toMatch(/^Error: outside\n {4}at [\s\S]+\nbecause of TypeError: inside\n {4}at /)
})

test('causes that go round in circles have an end', () => {
  const error = new Error('round')
  error.cause = error
  expect(tellError(error, true).match(/because of/g)).toHaveLength(5)
})

test('values of variables that are secrets by their name are not told, the longer before those that they begin with', () => {
  const environment = {
    API_KEY: 'abcdefgh',
    MY_TOKEN: 'abcdefgh-more',
    HOME_PAGE: 'https://example.com',
    PASS: 'x',
  }
  const text = 'abcdefgh-more, abcdefgh at https://example.com x'
  expect(withoutSecrets(text, environment)).toBe('(MY_TOKEN), (API_KEY) at https://example.com x')
})
