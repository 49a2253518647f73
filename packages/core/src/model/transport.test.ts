import { getEventListeners } from 'node:events'
import { type ClientRequest, Agent as HttpAgent, type RequestOptions } from 'node:http'
import { Worker } from 'node:worker_threads'
import {
  brotliCompressSync,
  createDeflateRaw,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { jsonAnswer, startRawServer, streamHead, streamPiece } from '../../test/raw-server.js'
import { type ChatModel, type ChatModelOptions, chatModel, type ModelRequest } from '../index.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: true,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}
const hello = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] }
const delta = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`

/** Both transports keep the same promises. */
const transports: [string, (baseURL: string, options?: ChatModelOptions) => ChatModel][] = [
  ['node:http', (baseURL, options) => chatModel('m', { baseURL, apiKey: '', maxRetries: 0, ...options })],
  ['fetch', (baseURL, options) => chatModel('m', { baseURL, apiKey: '', maxRetries: 0, fetch, ...options })],
]

describe.each(transports)('over %s', (_name, modelAt) => {
  test('the end of a stream is its [DONE], though the server keeps the connection open', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(streamHead + streamPiece(`${delta('Hi.')}data: [DONE]\n\n`))
    })
    const reply = await modelAt(server.baseURL).complete(request)
    expect(reply.message.content).toBe('Hi.')
  })

  test('a connection that breaks in the middle of an answer is told as truncated', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(streamHead + streamPiece(delta('Hi.')), () => socket.destroy())
    })
    const asking = modelAt(server.baseURL).complete(request)
    await expect(asking).rejects.toMatchObject({ code: 'truncated', retryable: true })
  })

  test('a connection that breaks before an answer is told as network, with the address', async () => {
    await using server = await startRawServer((_text, socket) => socket.destroy())
    const asking = modelAt(server.baseURL).complete(request)
    const message = expect.stringContaining(new URL(server.baseURL).origin)
    await expect(asking).rejects.toMatchObject({ code: 'network', retryable: true, message })
  })

  test.each([
    ['firstByte', { firstByte: 30 }, ''],
    ['idle', { idle: 30 }, streamHead + streamPiece(delta('Hi.'))],
    ['total', 30, streamHead + streamPiece(delta('Hi.'))],
  ])('a server that takes longer than timeoutMs.%s is given up', async (phase, timeoutMs, answer) => {
    await using server = await startRawServer((_text, socket) => void (answer && socket.write(answer)))
    const asking = modelAt(server.baseURL, { timeoutMs }).complete(request)
    const message = expect.stringContaining(`within 30 ms (timeoutMs.${phase})`)
    await expect(asking).rejects.toMatchObject({ code: 'timeout', retryable: true, message })
    await closed(server.sockets[0])
  })

  test.each([
    ['before the answer', ''],
    ['in the middle of the answer', streamHead + streamPiece(delta('Hi.'))],
  ])('an abort %s rejects with its reason and closes the connection', async (_when, answer) => {
    const stop = new AbortController()
    await using server = await startRawServer((_text, socket) => {
      if (answer) socket.write(answer, () => setImmediate(() => stop.abort(new Error('enough'))))
      else stop.abort(new Error('enough'))
    })
    await expect(modelAt(server.baseURL).complete({ ...request, signal: stop.signal })).rejects.toThrow(
      'enough',
    )
    await closed(server.sockets[0])
  })

  test('a redirect is not followed, for the key would go along: the error says what to set', async () => {
    await using other = await startRawServer((_text, socket) => socket.write(jsonAnswer(hello)))
    await using server = await startRawServer((_text, socket) => {
      const location = `${other.baseURL}/chat/completions`
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
    })
    await expect(modelAt(server.baseURL).complete(request)).rejects.toMatchObject({
      code: 'invalid_request',
      status: 307,
      retryable: false,
      message: expect.stringContaining(`Set baseURL to "${other.baseURL}"`),
    })
    expect(other.requests).toEqual([])
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['none', Buffer.from],
    ['utf-8', Buffer.from],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
  ])('an answer that comes compressed, though nobody asked, is read: %s', async (encoding, compress) => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(encoded(200, encoding, compress(JSON.stringify(hello))))
    })
    expect((await modelAt(server.baseURL).complete(request)).message.content).toBe('Hi.')
  })

  test('an error that comes compressed is read', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(encoded(429, 'gzip', gzipSync('{"error":"slow down"}')))
    })
    const message = expect.stringContaining('slow down')
    await expect(modelAt(server.baseURL).complete(request)).rejects.toMatchObject({
      code: 'rate_limit',
      message,
    })
  })

  test('a compressed answer that breaks off is told as that', async () => {
    await using server = await startRawServer((_text, socket) => {
      const whole = encoded(200, 'gzip', gzipSync(JSON.stringify(hello)))
      socket.write(whole.subarray(0, -20), () => socket.destroy())
    })
    const asking = modelAt(server.baseURL).complete(request)
    // How much of it was undone by then decides which.
    const code = expect.stringMatching(/^(network|truncated)$/)
    await expect(asking).rejects.toMatchObject({ code, retryable: true })
  })

  test('requests beyond maxInFlight wait in line, first come first served', async () => {
    const waiting: (() => void)[] = []
    await using server = await startRawServer((_text, socket) => {
      waiting.push(() => socket.write(jsonAnswer(hello)))
      expect(waiting.length).toBeLessThanOrEqual(2)
      if (waiting.length === 2) for (const release of waiting.splice(0)) release()
    })
    const model = modelAt(server.baseURL, { maxInFlight: 2 })
    const order: number[] = []
    await Promise.all([0, 1, 2, 3, 4, 5].map((n) => model.complete(request).then(() => order.push(n))))
    expect(order).toEqual([0, 1, 2, 3, 4, 5])
    expect(server.requests).toHaveLength(6)
  })
})

test('a connection is used again for the next request', async () => {
  await using server = await startRawServer((_text, socket) => socket.write(jsonAnswer(hello)))
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  await model.complete(request)
  await model.complete(request)
  expect(server.sockets).toHaveLength(1)
  expect(server.requests).toHaveLength(2)
})

test('a request that a reused connection may have carried is not sent again behind the back', async () => {
  let served = 0
  await using server = await startRawServer((_text, socket) => {
    served += 1
    if (served === 1) socket.write(jsonAnswer(hello))
    else socket.destroy()
  })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  await model.complete(request)
  await expect(model.complete(request)).rejects.toMatchObject({ code: 'network' })
  expect(served).toBe(2)
})

test('connections that were reset while nobody looked cost nothing, however many', async () => {
  await using server = await startForgetfulServer()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  await Promise.all([1, 2, 3].map(() => model.complete(request)))
  server.forgetAll()
  expect((await model.complete(request)).message.content).toBe('Hi.')
})

test('a connection that the server closed while it was idle costs nothing', async () => {
  await using server = await startRawServer((_text, socket) => socket.write(jsonAnswer(hello)))
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  await model.complete(request)
  server.sockets[0]?.end()
  await closed(server.sockets[0])
  expect((await model.complete(request)).message.content).toBe('Hi.')
  expect(server.sockets).toHaveLength(2)
})

test('any node:http agent carries the requests', async () => {
  await using server = await startRawServer((_text, socket) => socket.write(jsonAnswer(hello)))
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', agent })
  await Promise.all([model.complete(request), model.complete(request)])
  expect(server.sockets).toHaveLength(1)
  agent.destroy()
})

test("an agent of the caller's reads the headers that are sent", async () => {
  await using server = await startRawServer((_text, socket) => void socket.write(jsonAnswer(hello)))
  const read: unknown[] = []
  class Proxying extends HttpAgent {
    addRequest(sent: ClientRequest, options: RequestOptions): void {
      read.push(sent.getHeader('host'), sent.getHeader('authorization'))
      // @ts-expect-error: Agents of proxies override it, though Node does not document it.
      super.addRequest(sent, options)
    }
  }
  const { host } = new URL(server.baseURL)
  await using agent = Object.assign(new Proxying(), { [Symbol.asyncDispose]: async () => agent.destroy() })
  await chatModel('m', { baseURL: server.baseURL, apiKey: 'key', agent }).complete(request)
  expect(read).toEqual([host, 'Bearer key'])
})

test('a request names its host once: the one of its address, or of its headers', async () => {
  await using server = await startRawServer((_text, socket) => void socket.write(jsonAnswer(hello)))
  const { baseURL } = server
  await chatModel('m', { baseURL, apiKey: '' }).complete(request)
  await chatModel('m', { baseURL, apiKey: '', headers: { Host: 'models.example' } }).complete(request)
  const hosts = server.requests.map((text) => text.match(/(?<=^host: ).*(?=\r$)/gim))
  expect(hosts).toEqual([[new URL(baseURL).host], ['models.example']])
})

test('many aborted streams leave no socket, timer or listener behind', async () => {
  const rounds = cases(20, 4)
  await using server = await startRawServer((_text, socket) => {
    socket.write(streamHead + streamPiece(delta('Hi.')))
  })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  for (let round = 0; round < rounds; round++) {
    const stops = Array.from({ length: 50 }, () => new AbortController())
    const ended = stops.map((stop) => {
      const signal = stop.signal
      return model
        .complete({ ...request, signal }, () => stop.abort(new Error('enough')))
        .catch((error) => error.message)
    })
    expect(new Set(await Promise.all(ended))).toEqual(new Set(['enough']))
  }
  await Promise.all(server.sockets.map(closed))
  expect(server.requests).toHaveLength(rounds * 50)
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(
    before,
  )
})

test('a signal that many requests share keeps no listener of theirs', async () => {
  await using server = await startRawServer((_text, socket) => socket.write(jsonAnswer(hello)))
  const { signal } = new AbortController()
  for (const [, modelAt] of transports) {
    const model = modelAt(server.baseURL)
    await Promise.all(Array.from({ length: 3 }, () => model.complete({ ...request, signal })))
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test.each([
  ['gzip', createGzip],
  ['deflate', createDeflateRaw],
])('a compressed stream is read as it comes, and needs no end: %s', async (encoding, create) => {
  const gzip = create()
  await using server = await startRawServer((_text, socket) => {
    socket.write(streamHead.replace('\r\n\r\n', `\r\ncontent-encoding: ${encoding}\r\n\r\n`))
    gzip.on('data', (piece: Buffer) => {
      socket.write(`${piece.length.toString(16)}\r\n`)
      socket.write(piece)
      socket.write('\r\n')
    })
    gzip.write(delta('Hi.'))
    gzip.flush()
  })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  const told: unknown[] = []
  const reply = await model.complete(request, (piece) => {
    told.push(piece)
    gzip.write('data: [DONE]\n\n')
    gzip.flush()
  })
  expect(told).toEqual([{ type: 'text', text: 'Hi.' }])
  expect(reply.message.content).toBe('Hi.')
})

test('a compression that nobody can undo is an error that names it', async () => {
  await using server = await startRawServer((_text, socket) => {
    socket.write(encoded(200, 'compress', Buffer.from('?')))
  })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  await expect(model.complete(request)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('"compress"'),
  })
  await closed(server.sockets[0])
})

function encoded(status: number, encoding: string, body: Buffer): Buffer {
  const head = `HTTP/1.1 ${status} X\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** In a thread of its own, so that it can close connections while ours is busy and does not notice. */
async function startForgetfulServer() {
  const worker = new Worker(forgetful, { eval: true, workerData: jsonAnswer(hello) })
  const told = new Int32Array(new SharedArrayBuffer(4))
  const port = await new Promise((ready) => worker.once('message', ready))
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    forgetAll() {
      worker.postMessage(told)
      Atomics.wait(told, 0, 0)
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

const forgetful = `
const { parentPort, workerData } = require('node:worker_threads')
const sockets = new Set()
const waiting = []
let isForgotten = false
const server = require('node:net').createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  // The first three are answered when all of them are there, so that each needs a connection.
  socket.on('data', () => {
    if (waiting.push(socket) >= 3 || isForgotten) for (const one of waiting.splice(0)) one.write(workerData)
  })
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
parentPort.on('message', (told) => {
  isForgotten = true
  for (const socket of sockets) socket.end()
  setTimeout(() => {
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
    setTimeout(() => {
      Atomics.store(told, 0, 1)
      Atomics.notify(told, 0)
    }, 50)
  }, 50)
})
`

async function closed(
  socket: { closed: boolean; once(event: 'close', listener: () => void): unknown } | undefined,
) {
  if (socket && !socket.closed) await new Promise<void>((resolve) => socket.once('close', resolve))
}
