import { expect, test } from 'vitest'
import { toError } from './errors.js'
import { serverAddress } from './server-text.js'

const address = serverAddress({ url: 'https://user:passphrase@mcp.example/mcp?key=secret-key-1' })

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
])('%j becomes %s', (thrown, code, retryable) => {
  expect(toError(thrown, 'a call', address)).toMatchObject({ code, retryable })
})

test('names the server, the action and the advice, and no secret', () => {
  const { message } = toError(
    { code: -32000, message: 'no secret-key-1, no passphrase' },
    'calling "x"',
    address,
  )
  expect(message).toBe(
    'The MCP server "https://mcp.example/mcp" failed while calling "x": no [redacted], no [redacted]. Check the server\'s message.',
  )
})

test('cuts long error messages of a server', () => {
  expect(toError({ code: 1, message: 'x'.repeat(100_000) }, 'a call', address).message.length).toBeLessThan(
    1500,
  )
})
