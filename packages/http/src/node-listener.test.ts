import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse, Agent as Sockets } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect as connectSocket, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type FetchHandler, toNodeListener } from './node-listener.js'

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a node:http server. `before` is called first, like a middleware. */
async function serve(
  handler: FetchHandler,
  before = (_request: IncomingMessage, _response: ServerResponse) => {},
): Promise<{ port: number; url: string }> {
  const listener = toNodeListener(handler)
  const server = createServer((incoming, outgoing) => {
    before(incoming, outgoing)
    return listener(incoming, outgoing)
  })
  const port = await listen(server)
  return { port, url: `http://127.0.0.1:${port}` }
}

/** Sends text over a socket, and returns what arrives until the server closes the connection. */
async function exchange(port: number, sent: string): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1')
  socket.write(sent)
  return text(socket)
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('passes method, path, query, headers and body', async () => {
  const { url } = await serve(async (asked) =>
    Response.json({
      method: asked.method,
      url: asked.url,
      header: asked.headers.get('x-one'),
      body: await asked.text(),
    }),
  )
  const response = await fetch(`${url}/a/b?c=%20d`, {
    method: 'PUT',
    headers: { 'x-one': 'é' },
    body: 'a body',
  })
  expect(await response.json()).toEqual({
    method: 'PUT',
    url: `${url}/a/b?c=%20d`,
    header: 'é',
    body: 'a body',
  })
})

test('reads the headers that a middleware left', async () => {
  const { url } = await serve(
    ({ headers }) => Response.json([headers.get('x-user'), headers.get('x-added')]),
    ({ headers }) => {
      delete headers['x-user']
      headers['x-added'] = 'yes'
    },
  )
  expect(await (await fetch(url, { headers: { 'x-user': 'root' } })).json()).toEqual([null, 'yes'])
})

test('keeps each cookie, and the headers that a middleware set', async () => {
  const { url } = await serve(
    () =>
      new Response('', {
        status: 201,
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['vary', 'origin'],
          ['x-kind', 'ours'],
        ],
      }),
    (_request, response) => {
      response.setHeader('set-cookie', 'session=0')
      response.setHeader('vary', 'accept-encoding')
      response.setHeader('x-kind', 'theirs')
    },
  )
  const { status, headers } = await fetch(url)
  expect(status).toBe(201)
  expect(headers.getSetCookie()).toEqual(['session=0', 'a=1', 'b=2'])
  expect(headers.get('vary')).toBe('accept-encoding, origin')
  expect(headers.get('x-kind')).toBe('ours')
})

test('writes at the pace of the client', async () => {
  const [chunk, chunks] = [new Uint8Array(2 ** 16), 512]
  let [pulled, most] = [0, 0]
  let outgoing: ServerResponse | undefined
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        most = Math.max(most, outgoing?.writableLength ?? 0)
        if (++pulled > chunks) controller.close()
        else controller.enqueue(chunk)
      },
    })
  const { port } = await serve(
    () => new Response(body()),
    (_request, response) => {
      outgoing = response
    },
  )
  const sent = request({ port, host: '127.0.0.1' }).end()
  const [response] = await once(sent, 'response')
  while (!outgoing?.writableNeedDrain) await turn()
  let received = 0
  for await (const part of response) received += part.length
  expect(received).toBe(chunks * chunk.length)
  expect(most).toBeLessThanOrEqual(4 * chunk.length)
})

test('reads a body at the pace of the handler', async () => {
  const chunk = Buffer.alloc(2 ** 16)
  let [unread, incoming] = [0, undefined as IncomingMessage | undefined]
  const { port } = await serve(
    async ({ body }) => {
      let bytes = 0
      for await (const part of body ?? []) {
        bytes += part.length
        await turn()
        unread = Math.max(unread, incoming?.readableLength ?? 0)
      }
      return Response.json({ bytes })
    },
    (request) => {
      incoming = request
    },
  )
  const sent = request({ port, host: '127.0.0.1', method: 'POST' })
  for (let at = 0; at < 256; at++) if (!sent.write(chunk)) await once(sent, 'drain')
  sent.end()
  const [response] = await once(sent, 'response')
  expect(JSON.parse(await text(response))).toEqual({ bytes: 256 * chunk.length })
  expect(unread).toBeLessThanOrEqual(4 * chunk.length)
})

test.each(['before the response', 'while it is streamed'])(
  'aborts the signal when the client leaves %s',
  async (when) => {
    const { promise: hasAborted, resolve } = deferred<unknown>()
    const { promise: hasCancelled, resolve: cancel } = deferred<unknown>()
    const { promise: isAsked, resolve: ask } = deferred()
    const { port } = await serve(async ({ signal }) => {
      signal.addEventListener('abort', () => resolve(signal.reason))
      ask()
      if (when === 'before the response') await hasAborted
      return new Response(new ReadableStream({ start: (out) => out.enqueue(new Uint8Array(9)), cancel }))
    })
    const sent = request({ port, host: '127.0.0.1' }).end()
    sent.on('error', () => {})
    await (when === 'before the response' ? isAsked : once(sent, 'response'))
    sent.destroy()
    expect(await hasAborted).toMatchObject({ message: 'the client disconnected' })
    expect(await hasCancelled).toMatchObject({ message: 'the client disconnected' })
  },
)

test('aborts the signal of a request that only its listener for aborts knows', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { promise: hasAborted, resolve } = deferred()
  const { port } = await serve((asked) => {
    asked.signal.addEventListener('abort', () => resolve())
    return new Response(new ReadableStream({ start: (out) => out.enqueue(new Uint8Array(9)) }))
  })
  const sent = request({ port, host: '127.0.0.1' }).end()
  await once(sent, 'response')
  await turn()
  collectGarbage()
  sent.destroy()
  await hasAborted
})

test('keeps no request that was answered', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const asked: WeakRef<Request>[] = []
  const { url } = await serve((request) => {
    asked.push(new WeakRef(request))
    return new Response('Hello.')
  })
  for (let at = 0; at < 20; at++) await (await fetch(url)).text()
  await turn()
  collectGarbage()
  // The engine may still hold the most recent ones.
  expect(asked.filter((one) => one.deref()).length).toBeLessThan(5)
})

test('does not abort the signal of a request that was answered', async () => {
  let signal: AbortSignal | undefined
  const { url } = await serve((asked) => {
    signal = asked.signal
    return new Response('Hello.')
  })
  const response = await fetch(url, { headers: { connection: 'close' } })
  expect(await response.text()).toBe('Hello.')
  await turn()
  expect(signal?.aborted).toBe(false)
})

test('sends the headers of a stream that is silent at first', async () => {
  const { url } = await serve(() => new Response(new ReadableStream(), { headers: { 'x-kind': 'silent' } }))
  const client = new AbortController()
  const response = await fetch(url, { signal: client.signal })
  expect(response.headers.get('x-kind')).toBe('silent')
  client.abort()
})

test('cuts the response off when its stream fails', async () => {
  const { url } = await serve(
    () =>
      new Response(
        new ReadableStream({
          start: (out) => out.enqueue(new TextEncoder().encode('half')),
          pull: (out) => out.error(new Error('the disk is away')),
        }),
      ),
  )
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
})

test('answers HEAD without the body, and cancels it', async () => {
  const cancel = vi.fn()
  const { url } = await serve(
    () => new Response(new ReadableStream({ cancel }), { headers: { 'content-length': '1000' } }),
  )
  const response = await fetch(url, { method: 'HEAD' })
  expect(response.headers.get('content-length')).toBe('1000')
  expect(await response.text()).toBe('')
  expect(cancel).toHaveBeenCalledOnce()
})

test.each([
  ['unread', async () => {}],
  ['read in part', async ({ body }: Request) => body?.getReader().read()],
  ['cancelled', async ({ body }: Request) => body?.cancel()],
])('a connection serves the next request after a body that was %s', async (_how, read) => {
  const { port } = await serve(async (asked) => {
    if (asked.method === 'POST') await read(asked)
    return new Response(asked.method)
  })
  const agent = new Sockets({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const first = request({ port, host: '127.0.0.1', method: 'POST', agent })
  const socket = once(first, 'socket')
  first.end(Buffer.alloc(2 ** 20))
  const [answered] = await once(first, 'response')
  expect(await text(answered)).toBe('POST')
  const second = request({ port, host: '127.0.0.1', agent }).end()
  const [response] = await once(second, 'response')
  expect(await text(response)).toBe('GET')
  expect(second.socket).toBe((await socket)[0])
})

test.each([
  ['a path in the host', 'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n', 400],
  ['a user in the host', 'GET / HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n', 400],
  ['a port beyond the last', 'GET / HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n', 400],
  ['no host', 'GET / HTTP/1.0\r\n\r\n', 400],
  ['no path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
  ['the method TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 501],
])('refuses a request with %s', async (_what, sent, status) => {
  const handler = vi.fn(() => new Response())
  const { port } = await serve(handler)
  expect(await exchange(port, sent)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(handler).not.toHaveBeenCalled()
})

test.each([
  ['//evil.test/a', 'http://own.test//evil.test/a'],
  ['http://evil.test/a?b', 'http://own.test/a?b'],
])('the name in the target %s does not replace the host', async (target, url) => {
  const { port } = await serve((asked) => new Response(asked.url))
  const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: own.test\r\nConnection: close\r\n\r\n`)
  expect(answer).toContain(url)
})

test('an error of the handler is status 500 and one warning, without its message', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => {
    process.off('warning', warn)
  })
  const { url } = await serve(() => {
    throw new RangeError('database at 10.0.0.7 is down')
  })
  for (let at = 0; at < 2; at++) {
    const response = await fetch(url)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('10.0.0.7')
  }
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^A handler of toNodeListener failed \(RangeError\)/),
  ])
})

test.each([undefined, 'Hello.', { status: 200 }])(
  'a handler that returns %j fails as one that throws',
  async (returned) => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => {
      process.off('warning', warn)
    })
    const { url } = await serve((() => returned) as unknown as FetchHandler)
    expect((await fetch(url)).status).toBe(500)
    const errors: unknown[] = []
    const listener = toNodeListener((() => returned) as unknown as FetchHandler)
    const port = await listen(
      createServer((incoming, outgoing) =>
        listener(incoming, outgoing, (error) => {
          errors.push(error)
          outgoing.writeHead(500).end()
        }),
      ),
    )
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(500)
    const message = expect.stringMatching(/^The handler returned .+\. Return a Response\.$/)
    expect(errors).toEqual([expect.objectContaining({ message })])
  },
)

test.each([undefined, { fetch: () => new Response() }, 'handler'])('%j is not a handler', (given) => {
  expect(() => toNodeListener(given as unknown as FetchHandler)).toThrow(
    /^toNodeListener takes a function that takes a Request and returns a Response/,
  )
})

test('a body that was read before, and that nothing has, is an error of the server', async () => {
  const handler = vi.fn(() => new Response())
  const listener = toNodeListener(handler)
  const errors: unknown[] = []
  const port = await listen(
    createServer(async (incoming, outgoing) => {
      await text(incoming)
      await listener(incoming, outgoing, (error) => {
        errors.push(error)
        outgoing.writeHead(500).end()
      })
    }),
  )
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'read' })
  expect(response.status).toBe(500)
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('was read before') })])
  expect(handler).not.toHaveBeenCalled()
})

test('leaves a response alone that was sent meanwhile', async () => {
  const cancel = vi.fn()
  const { url } = await serve(
    async () => {
      await turn()
      return new Response(new ReadableStream({ cancel }))
    },
    (_request, response) => {
      response.writeHead(503).end('too late')
    },
  )
  const response = await fetch(url)
  expect(response.status).toBe(503)
  expect(await response.text()).toBe('too late')
  await expect.poll(() => cancel).toHaveBeenCalledOnce()
})

test('serves HTTP/2, without headers that it does not have', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => {
    process.off('warning', warn)
  })
  const server = createHttp2Server(
    toNodeListener(
      async (asked) =>
        new Response(`${asked.url} ${await asked.text()}`, { headers: { connection: 'close' } }),
    ),
  )
  const port = await listen(server)
  const client = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => client.close())
  const stream = client.request({ ':method': 'POST', ':path': '/runs' })
  stream.end('Hi')
  expect(await text(stream)).toBe(`http://127.0.0.1:${port}/runs Hi`)
  await turn()
  expect(warnings).toEqual([])
})
