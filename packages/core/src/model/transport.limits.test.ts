import { Agent as HttpAgent } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import OpenAI from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import { startRawServer, streamHead, streamPiece } from '../../test/raw-server.js'
import { type ChatModel, type ChatModelOptions, chatModel, type ModelRequest } from '../index.js'
import { openaiModel } from '../openai.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: true,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
  retries: false,
}
const openHead = (status = '200 OK') => `HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`
const delta = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`
const finish = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
const hello = '{"choices":[{"message":{"content":"Hi."},"finish_reason":"stop"}]}'

type Bounds = { idle?: number; total?: number }
const ways: [string, (baseURL: string, timeoutMs?: Bounds) => ChatModel][] = [
  ['node:http', (baseURL, timeoutMs = {}) => chatModel('m', { baseURL, apiKey: '', timeoutMs })],
  ['fetch', (baseURL, timeoutMs = {}) => chatModel('m', { baseURL, apiKey: '', timeoutMs, fetch })],
  [
    'openai 6',
    (baseURL, timeoutMs = {}) => openaiModel(new OpenAI({ baseURL, apiKey: 'k' }), 'm', { timeoutMs }),
  ],
  [
    'openai 7',
    (baseURL, timeoutMs = {}) => openaiModel(new OpenAI7({ baseURL, apiKey: 'k' }), 'm', { timeoutMs }),
  ],
]

describe.concurrent.each(ways)('over %s', (_name, modelAt) => {
  test('a whole JSON body is an answer, though the connection stays open', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(openHead() + hello.slice(0, 20), () => socket.write(hello.slice(20)))
    })
    expect((await modelAt(server.baseURL).complete(request)).message.content).toBe('Hi.')
  })

  test('an error is told, though the connection stays open', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(`${openHead('401 No')}{"error":{"message":"Who are you?"}}`)
    })
    const message = expect.stringContaining('Who are you?')
    await expect(modelAt(server.baseURL).complete(request)).rejects.toMatchObject({ code: 'auth', message })
  })

  test('an error whose words never come is told after two seconds', async () => {
    await using server = await startRawServer((_text, socket) => void socket.write(openHead('503 Busy')))
    await expect(modelAt(server.baseURL).complete(request)).rejects.toMatchObject({
      code: 'api',
      status: 503,
    })
  })

  test('two seconds after its finish reason a stream is left, whatever keeps it awake', async () => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(streamHead + streamPiece(delta('Hi.') + finish))
      const heartbeat = setInterval(() => socket.write(streamPiece(': ping\n\n')), 300)
      socket.once('close', () => clearInterval(heartbeat))
    })
    expect((await modelAt(server.baseURL).complete(request)).message.content).toBe('Hi.')
  })

  test.each([
    ['idle', { idle: 50 }],
    ['total', { total: 150 }],
  ])('a body that stalls is given up by timeoutMs.%s, and is no end of it', async (phase, timeoutMs) => {
    for (const body of [delta('Hi.'), hello.slice(0, 30)]) {
      await using server = await startRawServer((_text, socket) => void socket.write(openHead() + body))
      await expect(modelAt(server.baseURL, timeoutMs).complete(request)).rejects.toMatchObject({
        code: 'timeout',
        evidence: { phase },
      })
    }
  })

  test('an abort in the middle of a body without a length is no end of it', async () => {
    const stop = new AbortController()
    await using server = await startRawServer((_text, socket) => {
      socket.write(openHead() + delta('Hi.'), () => setImmediate(() => stop.abort(new Error('enough'))))
    })
    const asking = modelAt(server.baseURL).complete({ ...request, signal: stop.signal })
    await expect(asking).rejects.toThrow('enough')
  })
})

const httpAt = (baseURL: string, options: ChatModelOptions) =>
  chatModel('m', { baseURL, apiKey: '', ...options }).complete(request)

test.each([delta('Hi.'), hello.slice(0, 30)])(
  'a reset in the middle of a body without a length is no end of it: %s',
  async (body) => {
    await using server = await startRawServer((_text, socket) => {
      socket.write(openHead() + body, () => void turns().then(() => socket.resetAndDestroy()))
    })
    await expect(httpAt(server.baseURL, {})).rejects.toMatchObject({ code: 'truncated', retryable: true })
  },
)

describe('timeoutMs.connect bounds', () => {
  const late = { code: 'timeout', retryable: true, evidence: { phase: 'connect', ms: 50 } }
  const timeoutMs = { connect: 50 }

  test('a TLS handshake', async () => {
    await using server = await startSilentServer()
    await expect(httpAt(`https://127.0.0.1:${server.port}`, { timeoutMs })).rejects.toMatchObject(late)
  })

  test('an agent that is still on its way', async () => {
    const agent = Object.assign(new HttpAgent(), { createConnection: () => undefined })
    await expect(httpAt('http://127.0.0.1:9', { timeoutMs, agent })).rejects.toMatchObject(late)
  })

  test("an agent's turn; an abort ends that as well", async () => {
    await using server = await startSilentServer()
    const baseURL = `http://127.0.0.1:${server.port}`
    const agent = new HttpAgent({ maxSockets: 1 })
    const stop = new AbortController()
    const first = chatModel('m', { baseURL, apiKey: '', agent }).complete({ ...request, signal: stop.signal })
    await expect(httpAt(baseURL, { timeoutMs, agent })).rejects.toMatchObject(late)
    const waiting = new AbortController()
    const second = chatModel('m', { baseURL, apiKey: '', agent })
    setImmediate(() => waiting.abort(new Error('enough')))
    await expect(second.complete({ ...request, signal: waiting.signal })).rejects.toThrow('enough')
    stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    agent.destroy()
  })
})

test('an agent for http is refused for https by what to give instead', async () => {
  const asking = httpAt('https://127.0.0.1:9', { agent: new HttpAgent() })
  const message = expect.stringContaining('Use one from node:https')
  await expect(asking).rejects.toMatchObject({ code: 'invalid_request', message })
})

/** Takes connections and says nothing. */
async function startSilentServer(): Promise<{ port: number } & AsyncDisposable> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Turns of the event loop, in which the client, in this process as well, reads what was sent. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}
