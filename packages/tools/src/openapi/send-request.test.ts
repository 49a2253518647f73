import { expect, test } from 'vitest'
import { startApi } from '../../test/openapi/start-api.js'
import { type HttpRequest, type SendOptions, sendRequest, toFailure } from './send-request.js'

const signal = new AbortController().signal
const get = (url: string): HttpRequest => ({ method: 'GET', url: new URL(url), headers: {} })
const options = (more: Partial<SendOptions> = {}): SendOptions => ({
  policy: { anyPublic: 'http' },
  signal,
  name: 'call',
  ...more,
})

test('a name that resolves to a private address is not asked, whatever it resolved to before', async () => {
  const { origin, arrived } = await startApi()
  const { port } = new URL(origin)
  const answers = [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], []]
  for (const addresses of answers) {
    const resolver = {
      resolve: async () => addresses.map((address) => ({ address, family: 4 })),
      isPublic: (address: string) => address !== '127.0.0.1',
    }
    const failed = await sendRequest(get(`http://rebind.example.com:${port}/`), options({ resolver })).catch(
      (error) => error,
    )
    expect(toFailure(failed, { name: 'call', signal, redact: (text) => text })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('rebind.example.com does not resolve to a public address'),
    })
  }
  expect(arrived).toEqual([])
})

test.each([
  [301, 'GET', 'GET'],
  [301, 'POST', 'GET'],
  [302, 'PUT', 'PUT'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [307, 'POST', 'POST'],
  [308, 'DELETE', 'DELETE'],
] as const)('%i after %s within the origin asks with %s', async (status, method, next) => {
  const { origin, arrived } = await startApi(({ url }) =>
    url === '/a' ? { status, headers: { location: 'b?c=d' } } : undefined,
  )
  const body = method === 'GET' || method === 'HEAD' ? undefined : new TextEncoder().encode('{}')
  const request = {
    method,
    url: new URL(`${origin}/a`),
    headers: { 'content-type': 'application/json', 'x-key': 'k' },
    body,
  }
  const answer = await sendRequest(request, options({ policy: { ownOrigin: origin } }))
  expect(answer.status).toBe(200)
  const keepsBody = next === method && body !== undefined
  expect(
    arrived.map(({ method: one, url, body: got, headers }) => [one, url, got.toString(), headers['x-key']]),
  ).toEqual([
    [method, '/a', body ? '{}' : '', 'k'],
    [next, '/b?c=d', keepsBody ? '{}' : '', 'k'],
  ])
})

test('a redirect in a circle ends', async () => {
  const { origin, arrived } = await startApi(() => ({ status: 302, headers: { location: '/a' } }))
  await expect(
    sendRequest(get(`${origin}/a`), options({ policy: { ownOrigin: origin } })),
  ).rejects.toMatchObject({ code: 'api', message: 'call: the server redirected more than 5 times.' })
  expect(arrived.length).toBe(6)
})

test('the guard holds for a given fetch, and for each redirect', async () => {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(String(url))
    return new Response(null, {
      status: 302,
      headers: { location: 'http://api.example.com@169.254.169.254/' },
    })
  }
  await expect(sendRequest(get('http://169.254.169.254/'), options({ fetch }))).rejects.toMatchObject({
    code: 'unsupported',
  })
  await expect(sendRequest(get('http://api.example.com/'), options({ fetch }))).rejects.toThrow(
    'a different origin, http://169.254.169.254',
  )
  expect(asked).toEqual(['http://api.example.com/'])
})
