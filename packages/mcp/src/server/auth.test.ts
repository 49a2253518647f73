import { expect, test } from 'vitest'
import { authorize, checkAuth } from './auth.js'
import type { McpServerOptions } from './options.js'

const statusOf = async (
  options: McpServerOptions,
  headers: Record<string, string>,
  url = 'http://localhost:8080/mcp',
) => {
  const guarded = await authorize(new Request(url, { method: 'POST', headers }), options)
  return 'response' in guarded ? guarded.response.status : guarded.caller
}

test.each([
  ['localhost:8080', undefined],
  ['127.0.0.1', undefined],
  ['[::1]:8080', undefined],
  ['evil.example', 403],
  ['localhost.evil.example:8080', 403],
  ['localhost:8080@evil.example', 403],
  ['', 403],
  ['%00', 403],
])('responds to the host %j with %s', async (host, expected) => {
  expect(await statusOf({}, { host })).toBe(expected)
})

test('without a Host header the URL is used', async () => {
  expect(await statusOf({}, {})).toBe(undefined)
  expect(await statusOf({}, {}, 'https://evil.example/mcp')).toBe(403)
})

test.each([
  ['http://localhost:8080', undefined],
  ['http://localhost:3000', 403],
  ['https://evil.example', 403],
  ['null', 403],
  ['https://app.example', undefined],
  ['https://app.example.evil.example', 403],
])('responds to a page of %s with %s', async (origin, expected) => {
  expect(await statusOf({ origins: ['https://app.example'] }, { host: 'localhost:8080', origin })).toBe(
    expected,
  )
})

test.each([
  [undefined, 401],
  [false, 401],
  [null, 401],
  [new Response(null, { status: 418 }), 418],
  [true, true],
  ['ann', 'ann'],
])('if authenticate returns %j, the result is %j', async (said, expected) => {
  expect(await statusOf({ authenticate: async () => said }, {})).toBe(expected)
})

test('does not authenticate requests for other hosts', async () => {
  let asked = 0
  const authenticate = () => {
    asked += 1
    return true
  }
  expect(await statusOf({ authenticate }, { host: 'evil.example' })).toBe(403)
  expect(asked).toBe(0)
})

test('requires authenticate for hosts other than this machine', () => {
  expect(() => checkAuth({ hosts: ['localhost', 'mcp.example'] })).toThrow(
    /^hosts contains "mcp\.example", but authenticate is not set\. Set authenticate; \(\) => true lets anyone in\.$/,
  )
  expect(() => checkAuth({ hosts: ['mcp.example'], authenticate: () => true })).not.toThrow()
  expect(() => checkAuth({})).not.toThrow()
})
