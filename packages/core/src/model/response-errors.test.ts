import { expect, test, vi } from 'vitest'
import { toApiError } from './response-errors.js'

const errorOf = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  toApiError({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    header: (name) => headers[name] ?? null,
  })

test.each([
  [{ error: { message: 'the reason', type: 'x' } }],
  [{ error: 'the reason' }],
  [[{ error: { message: 'the reason' } }]],
  [{ message: 'the reason' }],
  [{ object: 'error', message: 'the reason', code: 40001 }],
  [{ detail: 'the reason' }],
  [{ detail: [{ loc: ['body'], msg: 'the reason', type: 'missing' }] }],
  [{ message: ['the reason'] }],
  [{ msg: 'the reason' }],
  [{ error: null, message: 'the reason' }],
  [{ error: { message: '' }, detail: 'the reason' }],
  [{ choices: [{ error: { message: 'the reason' } }] }],
  ['the reason'],
  ['<html><body><h1>the</h1>\n\n<p>reason</p></body></html>'],
])('the words of the server are found, wherever it hides them (case %#)', (body) => {
  expect(errorOf(500, body).message).toBe('The model server returned 500: the reason')
})

test.each([
  [{ detail: [{ msg: 'one' }, { msg: 'two' }] }, 'one; two'],
  [{ error: { kind: 'odd', reason: { deep: 1 } } }, '{"kind":"odd","reason":{"deep":1}}'],
  ['<!doctype html><title> 502 Bad Gateway </title><body>', 'an HTML page, "502 Bad Gateway"'],
  ['', 'an empty body'],
  [' \n ', 'an empty body'],
  ['{}', '{}'],
  ['7', '7'],
  ['x'.repeat(1000), `${'x'.repeat(300)}...`],
])('what says no more is quoted as it is, in part where it is long (case %#)', (body, said) => {
  expect(errorOf(500, body).message).toBe(`The model server returned 500: ${said}`)
})

test('a body that is made to be slow to read is read at once', () => {
  expect(errorOf(500, '<'.repeat(300_000)).message).toBe(
    `The model server returned 500: ${'<'.repeat(300)}...`,
  )
})

test.each([
  [400, 'invalid_request', false],
  [302, 'invalid_request', false],
  [401, 'auth', false],
  [402, 'quota', false],
  [403, 'auth', false],
  [404, 'not_found', false],
  [408, 'timeout', true],
  [409, 'invalid_request', true],
  [413, 'invalid_request', false],
  [422, 'invalid_request', false],
  [425, 'invalid_request', true],
  [429, 'rate_limit', true],
  [500, 'api', true],
  [501, 'unsupported', false],
  [503, 'api', true],
  [504, 'timeout', true],
  [529, 'api', true],
])('status %i is %s, worth sending again: %s', (status, code, retryable) => {
  const error = errorOf(status, { error: { message: 'no' } })
  expect(error).toMatchObject({ code, retryable, status, evidence: { status } })
  expect(error.message).toContain(String(status))
})

test.each([
  { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
  { error: { message: 'You exceeded your quota', type: 'insufficient_quota', code: null } },
  { error: { message: 'Pay first', code: 'billing_hard_limit_reached' } },
])('an empty account is no matter of waiting (case %#)', (body) => {
  expect(errorOf(429, body)).toMatchObject({
    code: 'quota',
    retryable: false,
    message: expect.stringContaining('billing'),
  })
})

test.each([
  [{ error: { message: 'm', code: 429 } }, 429, 'rate_limit'],
  [{ error: { message: 'm', code: '502' } }, 502, 'api'],
  [{ error: { message: 'm', status: 401 } }, 401, 'auth'],
  [{ error: { message: 'm', code: 429, status: 'RESOURCE_EXHAUSTED' } }, 429, 'rate_limit'],
  [{ error: { message: 'm' }, code: 404 }, 404, 'not_found'],
  [[{ error: { message: 'm', code: 429 } }], 429, 'rate_limit'],
  [{ object: 'error', message: 'm', type: 'InternalServerError', code: 500 }, 500, 'api'],
  [{ errorCode: 429, errorMessage: 'm' }, 429, 'rate_limit'],
  [{ choices: [{ delta: { error: { message: 'm', code: 503 } } }] }, 503, 'api'],
])('with status 200 the body may tell another (case %#)', (body, status, code) => {
  expect(errorOf(200, body)).toMatchObject({
    status,
    code,
    evidence: { status: 200 },
    message: expect.stringContaining(`returned 200 with error ${status}: m`),
  })
})

test.each([
  [{ error: { message: 'm', code: 40001 } }, 'api', true],
  [{ error: 'm' }, 'api', true],
  [{ error: { message: 'm', code: 'rate_limit_exceeded' } }, 'rate_limit', true],
  [{ error: { message: 'm', code: 'insufficient_quota' } }, 'quota', false],
  [{ error: { message: 'm', code: 'invalid_api_key', type: 'invalid_request_error' } }, 'auth', false],
  [{ error: { message: 'm', code: 'model_not_found' } }, 'not_found', false],
  [{ error: { message: 'm', code: 'server_error' } }, 'api', true],
  [{ error: { message: 'm', type: 'overloaded_error' } }, 'api', true],
  [{ error: { message: 'm', type: 'invalid_request_error' } }, 'invalid_request', false],
  [{ error: { message: 'm', type: 'authentication_error' } }, 'auth', false],
  [{ error: { message: 'm', type: 'permission_error' } }, 'auth', false],
  [{ error: { message: 'm', type: 'not_found_error' } }, 'not_found', false],
  [{ error: { message: 'm', type: 'NotFoundError' } }, 'not_found', false],
  [{ error: { message: 'm', type: 'timeout' } }, 'timeout', true],
  [{ error: { message: 'm', status: 'RESOURCE_EXHAUSTED' } }, 'rate_limit', true],
  [{ message: 'm', code: 'invalid_api_key' }, 'auth', false],
  [{ __type: 'ThrottlingException', Message: 'm' }, 'rate_limit', true],
])('with status 200 the words of the body tell what it is: %j', (body, code, retryable) => {
  const message = expect.stringContaining('The model server returned 200 with an error: m')
  expect(errorOf(200, body)).toMatchObject({ status: 200, code, retryable, message })
})

test.each([
  [400, { code: 'rate_limit_exceeded' }, 'rate_limit'],
  [400, { code: 'model_not_found', type: 'invalid_request_error' }, 'not_found'],
  [503, { type: 'invalid_request_error' }, 'api'],
  [404, { type: 'invalid_request_error' }, 'not_found'],
  [429, { code: 'file_not_found' }, 'rate_limit'],
])(
  'a word that says one thing counts more than status %i, a vague one does not: %j',
  (status, words, code) => {
    expect(errorOf(status, { error: { message: 'm', ...words } })).toMatchObject({ status, code })
  },
)

test.each([
  [
    'https://b.test/v1/chat/completions?token=x',
    'it redirects to https://b.test/v1/chat/completions. Set baseURL to "https://b.test/v1"',
  ],
  ['/login', 'it redirects to /login. Check baseURL'],
  [undefined, 'it redirects without a location. Check baseURL'],
])('a redirect to %j is told with what to do', (location, said) => {
  const error = errorOf(307, 'Moved', location === undefined ? {} : { location })
  expect(error).toMatchObject({ status: 307, code: 'invalid_request', retryable: false })
  expect(error.message).toBe(`The model server returned 307: ${said}`)
})

test('a status of an error counts more than what the body tells', () => {
  expect(errorOf(400, { error: { message: 'm', code: 503 } })).toMatchObject({
    status: 400,
    retryable: false,
  })
})

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '120' }, 120],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '-5' }, undefined],
  [{}, undefined],
])('the time to wait is told in milliseconds: %j', (headers, expected) => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 10), toFake: ['Date'] })
  const error = errorOf(429, '', headers)
  vi.useRealTimers()
  expect(error.retryAfterMs).toBe(expected)
  expect('retryAfterMs' in error).toBe(expected !== undefined)
})

test('the body is kept as evidence, in part', () => {
  expect(errorOf(500, 'x'.repeat(9000)).evidence).toEqual({ status: 500, body: 'x'.repeat(2000) })
})
