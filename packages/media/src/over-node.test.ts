import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startMediaServer } from '../test/media-server.js'
import { overNode } from './over-node.js'

/** A server that answers by hand. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise<void>((ready) => server.once('listening', ready))
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Larger than any buffer on the way, and nowhere the same. */
const large = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 7919) >> 5)

test('a form arrives as that of fetch does', async () => {
  const { origin, arrived } = await startMediaServer(() => ({ body: { text: 'heard' } }))
  const form = new FormData()
  form.append('model', 'a\nb')
  form.append('file', new File([large], 'a "b"\r\n.wav', { type: 'audio/wav' }))
  const init = { method: 'POST', body: form }
  for (const send of [overNode, fetch])
    expect(await (await send(origin, init)).json()).toEqual({ text: 'heard' })
  const [ours, theirs] = arrived
  expect(ours?.fields).toEqual(theirs?.fields)
  const [file, other] = [ours?.files.file, theirs?.files.file]
  expect([file?.name, file?.type]).toEqual([other?.name, other?.type])
  expect(file && Buffer.from(large).equals(file.bytes)).toBe(true)
  expect(Number(ours?.headers['content-length'])).toBeGreaterThan(large.length)
})

test.each<[string, RequestListener]>([
  ['with a length', (_, response) => response.setHeader('content-length', large.length).end(large)],
  [
    'in chunks',
    (_, response) => {
      response.write(large.subarray(0, 100_000))
      response.end(large.subarray(100_000))
    },
  ],
  [
    'until the connection ends',
    ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.end(large)
    },
  ],
  [
    'compressed, which nobody asked for',
    (_, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync(large))
    },
  ],
])('an answer %s is whole', async (_, answer) => {
  const response = await overNode(await serve(answer))
  expect(Buffer.from(large).equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
})

test('redirects are answers, and so is one without a body', async () => {
  const moved = await overNode(
    await serve((_, response) => response.writeHead(302, { location: '/b' }).end('there')),
  )
  expect([moved.status, moved.headers.get('location'), await moved.text()]).toEqual([302, '/b', 'there'])
  const nothing = await overNode(await serve((_, response) => response.writeHead(204).end()))
  expect([nothing.status, nothing.body]).toEqual([204, null])
})

test('an answer that is cut off rejects, and so does a request that is aborted', async () => {
  const cut = await overNode(
    await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half')
      setImmediate(() => response.destroy())
    }),
  )
  await expect(cut.text()).rejects.toThrow()
  const { signal, abort } = abortable()
  const asked = overNode(await serve(() => abort()), { signal })
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

test('a server that refuses before all of a form is there is heard', async () => {
  const origin = await serve((_, response) =>
    response.writeHead(413, { connection: 'close' }).end('too large'),
  )
  const form = new FormData()
  form.append('file', new File([large.subarray(0, 100)], 'a.wav'))
  expect((await overNode(origin, { method: 'POST', body: form })).status).toBe(413)
})

test('where another fetch was put in place of the platform’s own, it is asked', async () => {
  const own = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = own
  })
  globalThis.fetch = async () => new Response('mine')
  expect(await (await overNode('http://127.0.0.1:1/')).text()).toBe('mine')
})
