import { EventEmitter, getEventListeners, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startMediaServer } from '../../test/media-server.js'
import { speak } from '../tools/speak.js'
import { lazyConnect } from './client.js'
import { dialects } from './dialect.js'
import { nodeFetch } from './node-fetch.js'
import { post } from './request.js'

/** A service whose responses never end; `cut` resolves when the caller disconnects. */
async function startEndless() {
  let hangUp = () => {}
  const cut = new Promise<void>((resolve) => {
    hangUp = resolve
  })
  const server = createServer((request, response) => {
    request.resume()
    response.on('close', hangUp)
    response.writeHead(200, { 'content-type': 'audio/wav' }).write('RIFF')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  const { port } = server.address() as AddressInfo
  return { cut, client: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: '', maxRetries: 0 } }
}

test("gives up an endless response after the client's timeout, and closes the connection", async () => {
  const { client, cut } = await startEndless()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const started = new EventEmitter()
  const signalingFetch: typeof fetch = async (input, init) => {
    const response = await nodeFetch(input, init)
    // A turn later the tool has the response, and has set its own timer.
    setImmediate(() => started.emit('response'))
    return response
  }
  const asked = speak({ client: { ...client, timeout: 100, fetch: signalingFetch } }).call({ input: 'Hello' })
  await once(started, 'response')
  vi.advanceTimersByTime(100)
  await expect(asked).rejects.toMatchObject({
    code: 'timeout',
    retryable: true,
    message: expect.stringContaining('/audio/speech started a response that did not end within 100 ms'),
  })
  await cut
})

test('leaves no listeners on a shared signal', async () => {
  const { client } = await startMediaServer(() => ({ body: { text: 'hello' } }))
  const connection = await lazyConnect(client)()
  const { signal } = new AbortController()
  const posting = {
    endpoint: '/audio/speech',
    body: { input: 'Hello' },
    dialect: dialects.interface,
  } as const
  for (const idempotencyKey of ['a', 'b', 'c']) {
    await using reply = await post(connection, posting, { signal, idempotencyKey })
    await using _ = await reply.whole()
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
