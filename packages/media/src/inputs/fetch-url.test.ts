import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HostResolver } from '@capstan/guarded-fetch/address-policy'
import { expect, onTestFinished, test } from 'vitest'
import { startMediaServer } from '../../test/media-server.js'
import { type FetchOptions, fetchUrl } from './fetch-url.js'

const options: FetchOptions = {
  policy: { anyPublic: 'http' },
  signal: new AbortController().signal,
  what: 'The file',
  code: 'invalid_arguments',
  advice: 'Give another.',
  limits: { bytes: 1000, ms: 10_000, redirects: 3 },
}

/** A server at its own address that records requests. */
async function listen(address: string, port = 0) {
  const arrived: string[] = []
  const server = createServer((request, response) => {
    arrived.push(`${request.headers.host}${request.url}`)
    response.end('hello')
  })
  await new Promise<void>((ready) => server.listen(port, address, ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  return { arrived, port: (server.address() as AddressInfo).port }
}

/** Some loopback addresses act as public ones in this test. */
const isPublic = (address: string) => /^127\.0\.0\.[2-7]$/.test(address)
function answering(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  const resolver: HostResolver = {
    isPublic,
    async resolve(host) {
      const addresses = answers[asked.push(host) - 1] ?? []
      return addresses.map((address) => ({ address, family: 4 }))
    },
  }
  return { asked, resolver }
}

test('connects to the checked address, without a second lookup', async () => {
  const open = await listen('127.0.0.2')
  const inner = await listen('127.0.0.9', open.port)
  const { resolver, asked } = answering(['127.0.0.2'], ['127.0.0.9'])
  const fetched = await fetchUrl(new URL(`http://rebind.example.com:${open.port}/a`), {
    ...options,
    resolver,
  })
  expect(await fetched.blob.text()).toBe('hello')
  expect(asked).toEqual(['rebind.example.com'])
  expect(open.arrived).toEqual([`rebind.example.com:${open.port}/a`])
  expect(inner.arrived).toEqual([])
})

test.each([
  [['127.0.0.9'], 'a private address'],
  [['127.0.0.2', '127.0.0.9'], 'a private one among others'],
  [[], 'none'],
])('blocks a name with %j, %s, and sends nothing', async (addresses) => {
  const inner = await listen('127.0.0.9')
  const open = await listen('127.0.0.2', inner.port)
  const { resolver } = answering(addresses)
  const asked = fetchUrl(new URL(`http://name.example.com:${inner.port}/a`), { ...options, resolver })
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_arguments',
    message:
      'The file could not be fetched: name.example.com does not resolve to a public address; only public URLs are fetched. Give another.',
  })
  expect([...inner.arrived, ...open.arrived]).toEqual([])
})

test('blocks a redirect to a private name by its own lookup', async () => {
  const inner = await listen('127.0.0.9')
  const { origin } = await startMediaServer(() => ({
    status: 302,
    headers: { location: `http://inner.example.com:${inner.port}/secret` },
    body: '',
  }))
  const policy = { anyPublic: 'http', hosts: [new URL(origin).host] } as const
  const asked = fetchUrl(new URL(origin), { ...options, policy, ...answering(['127.0.0.9']) })
  await expect(asked).rejects.toThrow('inner.example.com does not resolve to a public address')
  expect(inner.arrived).toEqual([])
})

test('throws network for an unknown name', async () => {
  const resolver = {
    isPublic,
    resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
  }
  const asked = fetchUrl(new URL('http://nobody.example.com/'), { ...options, resolver })
  await expect(asked).rejects.toMatchObject({ code: 'network', retryable: true })
})

test('rejects a compressed response, which was not requested and may be a bomb', async () => {
  const { origin } = await startMediaServer(() => ({ headers: { 'content-encoding': 'gzip' }, body: 'x' }))
  const policy = { hosts: [new URL(origin).host] }
  await expect(fetchUrl(new URL(origin), { ...options, policy })).rejects.toThrow(
    'the response is compressed (gzip)',
  )
})

test('sends no credentials', async () => {
  const { origin, arrived } = await startMediaServer(() => ({ body: 'x' }))
  await fetchUrl(new URL(origin), { ...options, policy: { hosts: [new URL(origin).host] } })
  expect(Object.keys(arrived[0]?.headers ?? {}).sort()).toEqual(['accept-encoding', 'connection', 'host'])
})

test('uses fetch without node:http: checks hosts against the list, and rejects numbers', async () => {
  const { origin, arrived } = await startMediaServer(({ path }) =>
    path === '/away'
      ? { status: 302, headers: { location: 'http://10.0.0.1/' }, body: '' }
      : { body: 'hello' },
  )
  const { getBuiltinModule } = process
  Object.assign(process, { getBuiltinModule: undefined })
  try {
    const policy = { anyPublic: 'http', hosts: [new URL(origin).host] } as const
    const fetched = await fetchUrl(new URL(origin), { ...options, policy })
    expect(await fetched.blob.text()).toBe('hello')
    for (const address of [`${origin}/away`, 'http://10.0.0.1/', 'http://8.8.8.8/', 'http://localhost/'])
      await expect(fetchUrl(new URL(address), { ...options, policy })).rejects.toThrow('is not a public host')
  } finally {
    Object.assign(process, { getBuiltinModule })
  }
  expect(arrived.map(({ path }) => path)).toEqual(['/', '/away'])
})

test('rejects a response in another protocol at once', async () => {
  const switching = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
  const server = createServer(({ socket }) => socket.write(switching))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.2', ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  const { resolver } = answering(['127.0.0.2'])
  const url = new URL(`http://name.example.com:${(server.address() as AddressInfo).port}/a`)
  await expect(fetchUrl(url, { ...options, resolver })).rejects.toMatchObject({
    code: 'network',
    message: 'The file could not be fetched: the connection closed without a response.',
  })
})
