import { expect, test } from 'vitest'
import { RequestBodies } from './request-bodies.js'

const limits = { maxBodyBytes: 1000, maxBodiesBytes: 2000 }

/** Returns a request whose body has started but not ended. */
function unfinished(bytes: number) {
  let end = () => {}
  let fail = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      out.enqueue(new TextEncoder().encode(`"${'x'.repeat(bytes - 2)}"`))
      end = () => out.close()
      fail = () => out.error(new Error('the sender left'))
    },
  })
  return { request: toRequest(body), end: () => end(), fail: () => fail() }
}

function toRequest(body: BodyInit): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('http://localhost/mcp', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

/** Resolves when everything that has arrived has been read. */
const taken = () => new Promise((resolve) => setImmediate(resolve))

test('limits unfinished bodies together, and releases them when they end or their senders disconnect', async () => {
  const bodies = new RequestBodies(limits)
  const [first, second] = [unfinished(900), unfinished(900)]
  const access = [bodies.read(first.request), bodies.read(second.request)]
  await taken()
  const status = async () => {
    const read = await bodies.read(toRequest(`"${'x'.repeat(300)}"`))
    return read instanceof Response ? [read.status, read.headers.get('retry-after')] : 'read'
  }
  expect(await status()).toEqual([503, '1'])
  first.end()
  expect(await access[0]).toMatchObject({ parsedBody: 'x'.repeat(898) })
  expect(await status()).toBe('read')
  const third = unfinished(900)
  const readingThird = bodies.read(third.request)
  await taken()
  expect(await status()).toEqual([503, '1'])
  second.fail()
  expect(await access[1]).toMatchObject({ status: 400 })
  expect(await status()).toBe('read')
  third.end()
  await readingThird
})

test('leaves bodies that are not JSON or too large to the protocol', async () => {
  const bodies = new RequestBodies(limits)
  for (const [body, length] of [
    ['{', 1],
    [unfinished(1500).request.body, 1500],
  ] as const) {
    const read = await bodies.read(toRequest(body as BodyInit))
    if (read instanceof Response) throw new Error('it was refused')
    expect(read.parsedBody).toBeUndefined()
    expect((await read.request.arrayBuffer()).byteLength).toBe(length)
  }
})

test('leaves a body that is too large to the protocol, even beyond the shared limit', async () => {
  const bodies = new RequestBodies({ maxBodyBytes: 1000, maxBodiesBytes: 1000 })
  const read = await bodies.read(unfinished(1500).request)
  expect(read).not.toBeInstanceOf(Response)
})

test.each([{ maxBodiesBytes: Number.NaN }, { maxBodyBytes: -1 }])('refuses %j', (options) => {
  const message = expect.stringContaining('Pass a positive number of bytes.')
  expect(() => new RequestBodies(options)).toThrow(expect.objectContaining({ message }))
})

test('does not read requests without a body or with a length that is too large', async () => {
  const bodies = new RequestBodies(limits)
  const get = new Request('http://localhost/mcp')
  expect(await bodies.read(get)).toEqual({ request: get })
  const { request } = unfinished(900)
  request.headers.set('content-length', '5000')
  expect(await bodies.read(request)).toEqual({ request })
  expect(request.bodyUsed).toBe(false)
})
