import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { OpenAI } from 'openai'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startMediaServer } from '../../test/media-server.js'
import { serve } from '../../test/serve.js'
import { nodeFetch } from './node-fetch.js'

/** A server with a handler per connection. */
async function serveSockets(take: (socket: Socket) => void): Promise<{ port: number; taken: Socket[] }> {
  const taken: Socket[] = []
  const server = createServer((socket) => {
    taken.push(socket)
    socket.on('error', () => {})
    take(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of taken) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, taken }
}

/** A server that answers every request with these bytes. */
async function say(answer: string): Promise<string> {
  const { port } = await serveSockets((socket) => {
    socket.once('data', () => socket.write(answer))
  })
  return `http://127.0.0.1:${port}`
}

function formOf(bytes: number): FormData {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], 'a.wav'))
  return form
}

/** Larger than any buffer on the way, without repetition. */
const large = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 7919) >> 5)

test('sends a form like fetch', async () => {
  const { origin, arrived } = await startMediaServer(() => ({ body: { text: 'heard' } }))
  const form = new FormData()
  form.append('model', 'a\nb')
  form.append('file', new File([large], 'a "b"\r\n.wav', { type: 'audio/wav' }))
  const init = { method: 'POST', body: form }
  for (const send of [nodeFetch, fetch])
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
])('reads a complete response %s', async (_, answer) => {
  const response = await nodeFetch(await serve(answer))
  expect(Buffer.from(large).equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
})

test('returns redirects and responses without a body', async () => {
  const moved = await nodeFetch(
    await serve((_, response) => response.writeHead(302, { location: '/b' }).end('there')),
  )
  expect([moved.status, moved.headers.get('location'), await moved.text()]).toEqual([302, '/b', 'there'])
  const nothing = await nodeFetch(await serve((_, response) => response.writeHead(204).end()))
  expect([nothing.status, nothing.body]).toEqual([204, null])
})

test('rejects a response that is cut off and an aborted request', async () => {
  const cut = await nodeFetch(
    await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half')
      setImmediate(() => response.destroy())
    }),
  )
  await expect(cut.text()).rejects.toThrow()
  const { signal, abort } = abortable()
  const asked = nodeFetch(await serve(() => abort()), { signal })
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

test('reads a rejection that comes before the whole form was sent', async () => {
  const origin = await serve((_, response) =>
    response.writeHead(413, { connection: 'close' }).end('too large'),
  )
  for (const bytes of [100, 20_000_000]) {
    const refused = await nodeFetch(origin, { method: 'POST', body: formOf(bytes) })
    expect([refused.status, await refused.text()]).toEqual([413, 'too large'])
  }
})

test('closes the connection after the response, even if the server reads no more of the form', async () => {
  const { port } = await serveSockets((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 No\r\ncontent-length: 2\r\n\r\nno')
    })
  })
  const sockets = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length
  // Connections of other tests end first.
  await expect.poll(sockets).toBe(0)
  const body = formOf(50_000_000)
  expect(await (await nodeFetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).text()).toBe('no')
  // The server's own end stays.
  await expect.poll(sockets).toBe(1)
})

test.each([
  ['another protocol', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  ['a status that is none', 'HTTP/1.1 999 No\r\ncontent-length: 2\r\n\r\nhi'],
  ['no HTTP', 'SSH-2.0\r\n'],
])('rejects a response with %s', async (_, answer) => {
  await expect(nodeFetch(await say(answer))).rejects.toThrow(/closed|status|Parse/)
})

test('accepts any status text, and informational responses before the final one', async () => {
  const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'
  const answer = await nodeFetch(await say(`${early}HTTP/1.1 200 \x01\x02\r\ncontent-length: 2\r\n\r\nhi`))
  expect([answer.status, await answer.text()]).toEqual([200, 'hi'])
})

test('sends headers like fetch, whatever the body contains', async () => {
  const heard: string[] = []
  const origin = await serve((request, response) => {
    heard.push(String(request.headers['x-name']))
    response.end()
  })
  for (const send of [nodeFetch, fetch])
    await (await send(origin, { method: 'POST', headers: { 'x-name': 'caf\xe9' }, body: '"\xe9"' })).text()
  expect(heard).toEqual(['caf\xe9', 'caf\xe9'])
})

test.each<[string, (socket: Socket, abort: () => void) => void]>([
  ['while it is sent', (socket, abort) => socket.pause() && abort()],
  ['while nothing is answered', (socket, abort) => socket.on('data', abort)],
  [
    'in the middle of the answer',
    (socket, abort) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf', () => setImmediate(abort))
      }),
  ],
])('closes the connection when a request is aborted %s', async (_, take) => {
  const { signal, abort } = abortable()
  const { port, taken } = await serveSockets((socket) => take(socket, abort))
  const asked = nodeFetch(`http://127.0.0.1:${port}`, { method: 'POST', body: formOf(20_000_000), signal })
  await expect(asked.then((answer) => answer.text())).rejects.toThrow()
  const [socket] = taken
  socket?.resume()
  if (!socket?.closed) await once(socket as Socket, 'close')
})

test('gives up connecting after 10 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  // Accepts the connection and never completes the handshake.
  const { port } = await serveSockets(() => vi.advanceTimersByTime(10_000))
  await expect(nodeFetch(`https://127.0.0.1:${port}`)).rejects.toThrow('timed out')
})

test('sends the same bytes again on a retry', async () => {
  const answers = [
    { status: 500, headers: { 'retry-after-ms': '1' }, body: 'no' },
    { body: { text: 'heard' } },
  ]
  const { client, arrived } = await startMediaServer(() => answers.shift())
  const { audio } = new OpenAI({ ...client, maxRetries: 1, fetch: nodeFetch })
  const file = new File([large], 'a.wav')
  expect((await audio.transcriptions.create({ model: 'm', file })).text).toBe('heard')
  expect(arrived.map(({ files }) => files.file && Buffer.from(large).equals(files.file.bytes))).toEqual([
    true,
    true,
  ])
})
