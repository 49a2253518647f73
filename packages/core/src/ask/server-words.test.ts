import { expect, test } from 'vitest'
import { findError, findMessage, serverWords } from './server-words.js'

test.each([
  ['{"error":{"message":"No paint."}}', 'No paint.'],
  ['{"error":"No paint."}', 'No paint.'],
  ['[{"error":{"code":400,"message":"No paint."}}]', 'No paint.'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', 'field required'],
  ['{"message":"Unauthorized"}', 'Unauthorized'],
  ['{"errors":[{"code":5007,"message":"No such model"}]}', 'No such model'],
  ['{"error":{"error":{"message":"deep"}}}', 'deep'],
  ['{"object":"list","data":[]}', '{"object":"list","data":[]}'],
  ['<html><head><title> 502 Bad\nGateway </title></head></html>', 'an HTML page, "502 Bad Gateway"'],
  ['<p>Go   away</p>', 'Go away'],
  ['  ', 'an empty body'],
])('%j says %j', (body, words) => {
  expect(serverWords(body)).toBe(words)
})

test('what is quoted is never long', () => {
  expect(serverWords('word '.repeat(10_000))).toHaveLength(303)
  expect(serverWords(JSON.stringify({ message: 'A'.repeat(10_000) }))).toHaveLength(1003)
})

test('a body that is nested without end is read as well', () => {
  const nested = `{"error":${'['.repeat(5000)}${']'.repeat(5000)}}`
  expect(serverWords(nested)).toBe('something nested too deep to be quoted')
})

test.each([
  [{ error: 'x' }, 'x'],
  [{ choices: [{ error: { a: 1 } }] }, { a: 1 }],
  [{ error: null, choices: [{ error: '' }] }, undefined],
  [{ choices: 'none' }, undefined],
  [{ choices: [null] }, undefined],
  [[{ error: 'x' }], undefined],
  [undefined, undefined],
  [{ error: true }, true],
  [{ error: false }, undefined],
  [{ error: 0 }, undefined],
  [{ error: {} }, undefined],
  [{ error: [] }, undefined],
  [{ error: { message: '', code: null, details: [{}] } }, undefined],
])('the error in %j is %j', (body, error) => {
  expect(findError(body)).toEqual(error)
})

test.each([[{ choices: [] }], [{ message: { role: 'assistant', content: 'Hi.' } }], [{}], [null]])(
  'there is no message in %j',
  (body) => {
    expect(findMessage(body)).toBeUndefined()
  },
)
