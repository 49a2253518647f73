import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { Agent, type ChatModel, chatModel, type ModelRequest } from '../index.js'
import { openaiModel } from '../openai.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: true,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}
const mega = 2 ** 20
const delta = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(4000)}"}}]}\n\n`
const whole = '{"choices":[{"index":0,"message":{"role":"assistant","content":"'
const filler = 'x'.repeat(4000)

const ways: [string, (baseURL: string, maxBytes?: number) => ChatModel][] = [
  ['node:http', (baseURL, maxBytes) => chatModel('m', { baseURL, apiKey: '', ...options(maxBytes) })],
  ['fetch', (baseURL, maxBytes) => chatModel('m', { baseURL, apiKey: '', fetch, ...options(maxBytes) })],
  [
    'openai 6',
    (baseURL, maxBytes) => openaiModel(new OpenAI({ baseURL, apiKey: 'k' }), 'm', options(maxBytes)),
  ],
  [
    'openai 7',
    (baseURL, maxBytes) => openaiModel(new OpenAI7({ baseURL, apiKey: 'k' }), 'm', options(maxBytes)),
  ],
]
const options = (maxBytes?: number) => ({ ...(maxBytes === undefined ? {} : { maxBytes }), maxRetries: 1 })

/** How an answer begins, what then comes, without an end, and whether it is compressed. */
const endless: [string, string, string, boolean][] = [
  ['a stream', '', delta, false],
  ['a stream of one line', 'data: {"choices":[{"delta":{"content":"', filler, false],
  ['a stream of comments', '', `: ${filler}\n`, false],
  ['a JSON body', whole, filler, false],
  ['white space', '', ' '.repeat(4000), false],
  ['a compressed stream', '', delta, true],
  ['a compressed JSON body', whole, filler, true],
]

describe.each(ways)('over %s', (_name, modelAt) => {
  test.each(endless)('%s without end fails at maxBytes, and its connection is closed', async (...answer) => {
    const [, start, rest, isCompressed] = answer
    await using server = await startEndlessServer({ start, rest, isCompressed })
    await expect(modelAt(server.baseURL, mega).complete(request)).rejects.toMatchObject({
      code: 'invalid_response',
      retryable: false,
      evidence: { maxBytes: mega },
      message: expect.stringMatching(/longer than 1048576 bytes\. Raise the model's maxBytes/),
    })
    await server.closed
    expect(server.requests).toBe(1)
  })

  test('an error whose body has no end is told by its status, and its connection is closed', async () => {
    await using server = await startEndlessServer({
      status: 401,
      start: '{"error":{"message":"Who are you?"},"x":"',
      rest: filler,
    })
    const asking = modelAt(server.baseURL, mega).complete(request)
    await expect(asking).rejects.toMatchObject({ code: 'auth', status: 401 })
    await server.closed
  })

  test('an answer that is whole before maxBytes counts, whatever comes behind it', async () => {
    const start = `${whole}Hi."},"finish_reason":"stop"}]}`
    await using server = await startEndlessServer({ start, rest: ' '.repeat(4000) })
    const reply = await modelAt(server.baseURL, mega).complete(request)
    expect(reply.message.content).toBe('Hi.')
    await server.closed
  })

  test('what comes in one piece with a whole answer does not count', async () => {
    const text = `${whole}Hi."},"finish_reason":"stop"}]}`
    await using server = await startEndlessServer({ start: `${text}${' '.repeat(4000)}` })
    expect((await modelAt(server.baseURL, text.length).complete(request)).message.content).toBe('Hi.')
  })

  test('an answer of exactly maxBytes is read', async () => {
    const text = `${whole}Hi."},"finish_reason":"stop"}]}`
    await using server = await startEndlessServer({ start: text })
    expect((await modelAt(server.baseURL, text.length).complete(request)).message.content).toBe('Hi.')
    await expect(modelAt(server.baseURL, text.length - 1).complete(request)).rejects.toMatchObject({
      code: 'invalid_response',
    })
  })
})

// Events of 64 MiB take seconds.
for (const [what, start, rest, isCompressed] of endless.filter((one) => one[3]))
  (what.includes('stream') ? slowTest : test)(`by default a run ends at 64 MiB of ${what}`, async () => {
    await using server = await startEndlessServer({ start, rest, isCompressed, bytes: 65 * mega })
    const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
    await expect(new Agent({ model }).stream('Hello').result).rejects.toMatchObject({
      code: 'invalid_response',
      evidence: { maxBytes: 64 * mega },
    })
    await server.closed
  })

test.each([0, -1, 1.5, Number.NaN, '1'])('maxBytes: %s is refused at once', (maxBytes) => {
  const message = expect.stringContaining('Use a whole number of at least 1')
  expect(() => chatModel('m', { maxBytes: maxBytes as number })).toThrow(
    expect.objectContaining({ code: 'invalid_request', message }),
  )
})

test('maxBytes: Infinity is no limit', async () => {
  await using server = await startEndlessServer({ start: `${whole}Hi."},"finish_reason":"stop"}]}` })
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxBytes: Number.POSITIVE_INFINITY })
  expect((await model.complete(request)).message.content).toBe('Hi.')
})

interface EndlessServer extends AsyncDisposable {
  readonly baseURL: string
  readonly requests: number
  /** Resolves when the first answer's connection is closed. */
  readonly closed: Promise<unknown>
}

interface Answer {
  readonly status?: number
  readonly start: string
  /** Repeated for `bytes`, 2 MiB by default, after which the answer still does not end; absent for one that ends. */
  readonly rest?: string
  readonly bytes?: number
  readonly isCompressed?: boolean
}

async function startEndlessServer(answer: Answer): Promise<EndlessServer> {
  let onClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  let requests = 0
  const server = createServer((incoming, response) => {
    requests++
    response.once('close', onClosed)
    incoming.resume().once('end', () => send(response, answer))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get requests() {
      return requests
    },
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((ended) => server.close(ended))
    },
  }
}

function send(
  response: ServerResponse,
  { status = 200, start, rest, isCompressed, bytes = 2 * mega }: Answer,
): void {
  response.writeHead(status, isCompressed ? { 'content-encoding': 'gzip' } : {})
  const body = Buffer.concat([Buffer.from(start), rest ? Buffer.alloc(bytes, rest) : Buffer.alloc(0)])
  const { Z_SYNC_FLUSH } = constants
  response.write(isCompressed ? gzipSync(body, { level: 1, finishFlush: Z_SYNC_FLUSH }) : body)
  if (rest === undefined) response.end()
}
