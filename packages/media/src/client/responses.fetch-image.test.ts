import { expect, test } from 'vitest'
import { type Answer, deadOrigin, startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { readBytes } from '../inputs/stored-bytes.js'
import { fetchImage } from './responses.js'

const picture: Answer = { body: png(4, 4), headers: { 'content-type': 'Image/PNG; q=1' } }
const never = new AbortController().signal

async function serve(answer: (path: string) => Answer | undefined) {
  const server = await startMediaServer(({ path }) => answer(path))
  return {
    server,
    options: { baseURL: server.client.baseURL, endpoint: '/images/generations', signal: never },
  }
}

const to = (location: string): Answer => ({ status: 302, headers: { location }, body: '' })

test('fetches bytes and type, relative to the base URL', async () => {
  const { server, options } = await serve(() => picture)
  const fetched = await fetchImage('files/a.png', options)
  expect(fetched.mediaType).toBe('image/png')
  expect(await readBytes(fetched)).toEqual(png(4, 4))
  expect(server.arrived[0]?.path).toBe('/v1/files/a.png')
})

test('follows up to three redirects on the same origin', async () => {
  const { options } = await serve((path) => (path === '/3' ? picture : to(`/${Number(path.slice(1)) + 1}`)))
  expect(await readBytes(await fetchImage('/0', options))).toEqual(png(4, 4))
})

test('rejects a fourth redirect', async () => {
  const { server, options } = await serve((path) => to(`/${Number(path.slice(1)) + 1}`))
  await expect(fetchImage('/0', options)).rejects.toMatchObject({
    code: 'invalid_response',
    message: 'The image linked by /images/generations could not be fetched: it redirected more than 3 times.',
  })
  expect(server.arrived).toHaveLength(4)
})

test('blocks a redirect to another private host, and sends nothing there', async () => {
  const secret = await startMediaServer(() => picture)
  const { options } = await serve(() => to(`${secret.origin}/secret.png`))
  await expect(fetchImage('/0', options)).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('only public https URLs and http://127.0.0.1:'),
  })
  expect(secret.arrived).toEqual([])
})

test('blocks a redirect to another scheme', async () => {
  const { options } = await serve(() => to('file:///etc/passwd'))
  await expect(fetchImage('/0', options)).rejects.toThrow('file:// is blocked')
})

test('rejects an image over the limit', async () => {
  const { options } = await serve(() => picture)
  const allow = { bytes: 10 }
  await expect(fetchImage('/0', { ...options, allow })).rejects.toThrow('it is larger than 10 bytes')
})

test('throws timeout for an image that takes too long', async () => {
  const { options } = await serve(() => undefined)
  const allow = { seconds: 0.02 }
  await expect(fetchImage('/0', { ...options, allow })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('no response within 20 ms'),
  })
})

test("reports an expired link with the server's message", async () => {
  const { options } = await serve(() => ({
    status: 404,
    body: { error: { message: 'This link has expired.' } },
  }))
  await expect(fetchImage('/0', options)).rejects.toMatchObject({
    code: 'api',
    status: 404,
    message: expect.stringContaining('the server returned 404: This link has expired.'),
  })
})

test('throws network for a host that does not answer', async () => {
  const { options } = await serve(() => undefined)
  const gone = { ...options, baseURL: `${await deadOrigin()}/v1` }
  await expect(fetchImage('/0', gone)).rejects.toMatchObject({ code: 'network', retryable: true })
})

test('rejects with the reason of an abort', async () => {
  const stop = new AbortController()
  const { options } = await serve(() => {
    stop.abort(new Error('enough'))
    return undefined
  })
  await expect(fetchImage('/0', { ...options, signal: stop.signal })).rejects.toThrow('enough')
})

test.each(['http://', 'https://[half'])('reports "%s" as invalid', async (address) => {
  const { options } = await serve(() => undefined)
  await expect(fetchImage(address, options)).rejects.toThrow(`"${address}" is not a valid URL`)
})
