import { expect, test } from 'vitest'
import { findError, findMessage, isFailure, serverMessage } from './response-errors.js'

test.each([
  ['{"error":{"message":"No paint."}}', 'No paint.'],
  ['{"error":"No paint."}', 'No paint.'],
  ['[{"error":{"code":400,"message":"No paint."}}]', 'No paint.'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', 'field required'],
  ['{"message":"Unauthorized"}', 'Unauthorized'],
  ['{"errors":[{"code":5007,"message":"No such model"}]}', 'No such model'],
  ['{"error":{"error":{"message":"deep"}}}', 'deep'],
  ['{"choices":[],"message":"No paint."}', 'No paint.'],
  ['{"choices":null,"base_resp":{"status_code":1008,"status_msg":"No paint."}}', 'No paint.'],
  ['{"error_code":336,"error_msg":"No paint."}', 'No paint.'],
  ['{"errorCode":"E1","errorMessage":"No paint."}', 'No paint.'],
  ['{"__type":"ThrottlingException","Message":"No paint."}', 'No paint.'],
  ['{"choices":[{"delta":{"error":{"message":"No paint."}}}]}', 'No paint.'],
  ['{"object":"list","data":[]}', '{"object":"list","data":[]}'],
  ['<html><head><title> 502 Bad\nGateway </title></head></html>', 'an HTML page, "502 Bad Gateway"'],
  ['<p>Go   away</p>', 'Go away'],
  ['  ', 'an empty body'],
])('%j says %j', (body, words) => {
  expect(serverMessage(body)).toBe(words)
})

test('what is quoted is never long', () => {
  expect(serverMessage('word '.repeat(10_000))).toHaveLength(303)
  expect(serverMessage(JSON.stringify({ message: 'A'.repeat(10_000) }))).toHaveLength(1003)
})

test('a body that is nested without end is read as well', () => {
  const nested = `{"error":${'['.repeat(5000)}${']'.repeat(5000)}}`
  expect(serverMessage(nested)).toBe('a value nested too deep to quote')
})

test.each([
  [{ error: 'x' }, 'x'],
  [{ choices: [{ error: { a: 1 } }] }, { a: 1 }],
  [{ error: null, choices: [{ error: '' }] }, undefined],
  [{ choices: 'none' }, undefined],
  [{ choices: [null] }, undefined],
  [[{ error: 'x' }], undefined],
  [undefined, undefined],
  [{ choices: [{ index: 1 }, { index: 0, error: 'x' }] }, 'x'],
  [{ choices: [{ index: 1, error: 'x' }, { index: 0 }] }, undefined],
  [{ choices: [{ delta: { error: 'x' } }] }, 'x'],
  [{ choices: [{ message: { error: { a: 1 } } }] }, { a: 1 }],
  [
    { object: 'error', message: 'x' },
    { object: 'error', message: 'x' },
  ],
  [
    { type: 'error', text: 'x' },
    { type: 'error', text: 'x' },
  ],
  [{ base_resp: { status_code: 0, status_msg: '' } }, undefined],
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

test.each([
  { detail: 'worker died' },
  { object: 'error', message: 'CUDA out of memory', choices: [{}] },
  { code: 'InternalError', message: 'boom' },
  { choices: [], message: 'expired' },
  { success: false, msg: 'busy' },
  { status: 503 },
  [{ error: { code: 429 } }],
])('%j says that it failed', (body) => {
  expect(isFailure(body)).toBe(true)
})

test.each([
  { choices: [], usage: {} },
  { choices: [{ delta: {} }], message: 'ok' },
  { code: 0, message: 'success', choices: [] },
  { success: true, msg: 'ok' },
  { base_resp: { status_code: 0, status_msg: 'success' } },
  { message: { role: 'assistant', content: 'Hi.' } },
  {},
  [],
  [1],
  null,
  'failed',
])('%j does not', (body) => {
  expect(isFailure(body)).toBe(false)
})
