import { expect, test } from 'vitest'
import { toError } from './errors.js'
import { serverAddress } from './server-text.js'

const address = serverAddress({ url: 'https://user:passphrase@mcp.example/mcp?key=secret-key-1' })

/** Returns an error that the SDK marks, because a credentials provider or one of its requests threw it. */
const refused = (error: Error) => Object.assign(error, { [Symbol.for('mcp.authSeamEscape')]: true })

test.each([
  [{ code: 'REQUEST_TIMEOUT', message: 'Request timed out' }, 'timeout', true],
  [{ code: 'CONNECTION_CLOSED', message: 'Connection closed' }, 'network', true],
  [{ code: 'LIST_PAGINATION_EXCEEDED', message: 'x' }, 'invalid_response', false],
  [{ code: 'ENOENT', message: 'spawn nothing ENOENT' }, 'not_found', false],
  [{ code: -32602, message: 'Bad arguments' }, 'invalid_arguments', false],
  [{ code: -32000, message: 'Broken' }, 'api', false],
  [{ code: 'CLIENT_HTTP_AUTHENTICATION', status: 401, message: 'no' }, 'auth', false],
  [{ code: 'CLIENT_HTTP_NOT_IMPLEMENTED', status: 429, message: 'slow down' }, 'rate_limit', true],
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
    'network',
    true,
  ],
  ['a string', 'network', true],
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }) }),
    'network',
    true,
  ],
  [new SyntaxError('Unexpected token'), 'invalid_response', false],
  [Object.assign(new Error('[{"code":"invalid_union"}]'), { issues: [] }), 'invalid_response', false],
  [Object.assign(new Error('Unauthorized'), { name: 'UnauthorizedError' }), 'auth', false],
  [refused(new Error('The credentials are of another server')), 'auth', false],
  [refused(Object.assign(new Error('revoked'), { code: 'invalid_grant' })), 'auth', false],
  [refused(Object.assign(new Error('later'), { code: 'server_error' })), 'api', false],
  [
    Object.assign(new Error('probe failed'), {
      code: 'ERA_NEGOTIATION_FAILED',
      data: { cause: Object.assign(new Error('no'), { status: 401, code: 'CLIENT_HTTP_AUTHENTICATION' }) },
    }),
    'auth',
    false,
  ],
])('%j becomes %s', (thrown, code, retryable) => {
  expect(toError(thrown, 'a call', address)).toMatchObject({ code, retryable })
})

test('names the server and the action, and no secret; advice for the developer is not in errors of calls', () => {
  const error = { code: -32000, message: 'no secret-key-1, no passphrase' }
  const failed = (doing: string) =>
    `The MCP server "https://mcp.example/mcp" failed while ${doing}: no [redacted], no [redacted].`
  // The model gets the errors of calls.
  expect(toError(error, 'calling "x"', address).message).toBe(failed('calling "x"'))
  expect(toError(error, 'connecting', address).message).toBe(
    `${failed('connecting')} Check the server's message.`,
  )
})

test('cuts long error messages of a server', () => {
  expect(toError({ code: 1, message: 'x'.repeat(100_000) }, 'a call', address).message.length).toBeLessThan(
    1500,
  )
})

test.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED'])(
  'a request that failed by %s has not taken effect',
  (code) => {
    const cause = Object.assign(new Error(code), { code })
    const { message } = toError(new TypeError('fetch failed', { cause }), 'calling "x"', address)
    expect(message).toContain('Nothing was sent.')
    expect(message).not.toContain('may have taken effect')
  },
)
