import { CapstanError } from '@capstan/core'
import { expect, test } from 'vitest'
import { formatError, formatFailure, redactSecrets } from './format.js'

test.each([
  ['code and message', new CapstanError('auth', 'The key is wrong.'), 'auth: The key is wrong.'],
  ['message of a plain error', new TypeError('No such thing'), 'No such thing'],
  ['name of an error without a message', new RangeError(), 'RangeError'],
  ['thrown value that is not an Error', null, 'null'],
  ['text without terminal control sequences', new Error('a\u001b[31mb'), 'a\\u001b[31mb'],
])('formats %s', (_, thrown, told) => {
  expect(formatError(thrown)).toBe(told)
})

test('names the page about the code, also of an error of a version without one', () => {
  const error = new CapstanError('auth', 'The key is wrong.')
  expect(formatFailure(error)).toBe(`auth: The key is wrong.\nSee ${error.help}`)
  expect(formatFailure(Object.assign(error, { help: 'a\u001b[31mb' }))).toMatch(/See a\\u001b\[31mb$/)
  expect(formatFailure(Object.assign(error, { help: undefined }))).toBe('auth: The key is wrong.')
  expect(formatFailure(new Error('Other.'))).toBe('Other.')
})

test('prints the stack and the causes for debugging', () => {
  const told = formatError(new Error('outside', { cause: new TypeError('inside') }), true)
  expect(told).toMatch(/^Error: outside\n {4}at [\s\S]+\ncaused by TypeError: inside\n {4}at /)
})

test('ends on circular causes', () => {
  const error = new Error('round')
  error.cause = error
  expect(formatError(error, true).match(/caused by/g)).toHaveLength(5)
})

test('hides the values of secret environment variables, longer values before their prefixes', () => {
  const environment = {
    API_KEY: 'abcdefgh',
    MY_TOKEN: 'abcdefgh-more',
    HOME_PAGE: 'https://example.com',
    PASS: 'x',
  }
  const text = 'abcdefgh-more, abcdefgh at https://example.com x'
  expect(redactSecrets(text, environment)).toBe('(MY_TOKEN), (API_KEY) at https://example.com x')
})
