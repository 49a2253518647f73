import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from './endpoint.js'
import { handleRequest } from './handle-request.js'
import { ServiceError } from './service-error.js'

/** Serves one endpoint; `handled` resolves when the first request is done with. */
async function serve(endpoint: Endpoint, onFault?: (error: unknown) => void, answerTimeoutMs = 60_000) {
  const route = { method: 'GET', open: true, endpoint } as const
  const limits = { maxBodyBytes: 1, requestTimeoutMs: 1000, answerTimeoutMs, cors: [] }
  const door = { find: () => route, list: [], apiKey: 'k', ...limits, ...(onFault && { onFault }) }
  let handle: (work: Promise<void>) => void
  const handled = new Promise<void>((resolve) => {
    handle = resolve
  })
  const server = createServer((request, response) => handle(handleRequest(door, request, response)))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, handled }
}

test('an unexpected error is a 500 without details and is reported', async () => {
  const faults: unknown[] = []
  const fault = new Error('ENOENT: /home/me/secret')
  const { url } = await serve(
    () => Promise.reject(fault),
    (error) => faults.push(error),
  )
  const response = await fetch(url)
  const body = await response.text()
  expect([response.status, JSON.parse(body).error.code]).toEqual([500, 'internal_error'])
  expect(body).not.toContain('secret')
  expect(faults).toEqual([fault])
})

test('a ServiceError is sent in full', async () => {
  const { url } = await serve(async () => {
    throw new ServiceError(400, 'invalid_size', 'Too small.', 'size')
  })
  const response = await fetch(url)
  const error = { message: 'Too small.', type: 'invalid_request_error', code: 'invalid_size', param: 'size' }
  expect([response.status, await response.json()]).toEqual([400, { error }])
})

test('sends bytes with type, length and headers', async () => {
  const reply = { bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png', headers: { 'x-made-by': 'hand' } }
  const { url } = await serve(async () => reply)
  const response = await fetch(url)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '3',
    'x-made-by': 'hand',
  })
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(reply.bytes)
})

test('events end with [DONE]', async () => {
  const { url } = await serve(async () => ({ events: ['{"a":1}', '{"a":2}'] }))
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe('data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\n')
})

// Without heed to how fast the client reads, an endless generator would never let this test go on.
test('produces events at the speed of the client and stops when it disconnects', async () => {
  let stopped = false
  let aborted = false
  function* endless(): Generator<string> {
    try {
      for (;;) yield 'x'.repeat(100_000)
    } finally {
      stopped = true
    }
  }
  const { url, handled } = await serve(async ({ signal }) => {
    signal.addEventListener('abort', () => {
      aborted = true
    })
    return { events: endless() }
  })
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  await once(response, 'readable')
  response.destroy()
  await handled
  expect([stopped, aborted]).toEqual([true, true])
})

test('cuts off a failing stream, so that it does not look complete', async () => {
  const { url } = await serve(async () => ({
    events: (function* () {
      yield 'one'
      throw new Error('out of events')
    })(),
  }))
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
})

test('streams bytes, and an early failure gets its own status', async () => {
  const bytes = [new Uint8Array([1, 2]), new Uint8Array([3])]
  const good = await serve(async () => ({ stream: streamOf(bytes), mediaType: 'audio/wav' }))
  const response = await fetch(good.url)
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([1, 2, 3])
  const refused = new ServiceError(429, 'queue_full', 'Later.', null, { 'retry-after': '3' })
  const bad = await serve(async () => ({ stream: streamOf([], refused), mediaType: 'audio/wav' }))
  const refusal = await fetch(bad.url)
  expect([refusal.status, refusal.headers.get('retry-after'), await refusal.json()]).toEqual([
    429,
    '3',
    { error: { message: 'Later.', type: 'rate_limit_error', code: 'queue_full', param: null } },
  ])
})

test('a slow response is a 503 and its work is aborted', async () => {
  const stopped: unknown[] = []
  const endpoint: Endpoint = async ({ signal }) => {
    signal.addEventListener('abort', () => stopped.push(signal.reason))
    return new Promise(() => {})
  }
  const { url } = await serve(endpoint, undefined, 20)
  const response = await fetch(url)
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'answer_timeout' } }])
  expect(stopped).toHaveLength(1)
})

async function* streamOf(chunks: readonly Uint8Array[], failure?: Error): AsyncGenerator<Uint8Array> {
  yield* chunks
  if (failure) throw failure
}
