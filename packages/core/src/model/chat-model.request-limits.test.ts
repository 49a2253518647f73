import { expect, test } from 'vitest'
import { encode } from '../../test/read.js'
import { replyForms } from '../features/reply-forms/reply-forms.js'
import { chatModel } from '../features.js'
import { Secrets } from '../secrets/secrets.js'
import type { ModelRequest, TransportResponse } from '../types/model.js'
import { chatProtocol, createChatModel, type ModelConfig } from './chat-model.js'

const request: ModelRequest = {
  messages: [],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}

const response = (status: number, body: object, headers: Record<string, string> = {}): TransportResponse => ({
  status,
  header: (name) => headers[name] ?? null,
  headers: () => Object.entries(headers).flat(),
  leave: () => {},
  read: async (take) => void take(encode(JSON.stringify(body))),
})

const wiring = (transport: ModelConfig['transport'], options: ModelConfig['options'] = {}): ModelConfig => ({
  name: 'm',
  options,
  protocol: chatProtocol,
  secrets: new Secrets(),
  features: [replyForms()],
  url: () => 'http://a.test',
  headers: () => ({}),
  transport,
})

test('sends a request with a temporary failure three times by default', async () => {
  let sent = 0
  const send = async () => {
    sent += 1
    return response(503, { error: 'busy' }, { 'retry-after': '0' })
  }
  await expect(createChatModel(wiring(send)).complete(request)).rejects.toMatchObject({ status: 503 })
  expect(sent).toBe(3)
  await expect(createChatModel(wiring(send, { maxRetries: 0 })).complete(request)).rejects.toThrow('busy')
  expect(sent).toBe(4)
})

test('sends 64 concurrent requests per model by default', async () => {
  const waiting: (() => void)[] = []
  let most = 0
  const model = createChatModel(
    wiring(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return response(200, { choices: [{ message: { content: 'Hi.' } }] })
    }),
  )
  const all = Promise.all(Array.from({ length: 130 }, () => model.complete(request)))
  const release = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    most = Math.max(most, waiting.length)
    for (const go of waiting.splice(0)) go()
  }
  await release()
  expect(most).toBe(64)
  while (await Promise.race([all.then(() => false), new Promise((next) => setImmediate(next, true))]))
    await release()
  expect(most).toBe(64)
})

test.each([
  ['maxRetries', -1],
  ['maxRetries', Number.NaN],
  ['maxRetries', '2'],
  ['maxRetries', 1.5],
  ['maxInFlight', 0],
  ['maxInFlight', -1],
  ['maxInFlight', Number.NaN],
  ['maxInFlight', 1.5],
])('rejects %s of %s at once', (option, value) => {
  const build = () => chatModel('m', { [option]: value })
  expect(build).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(option) }),
  )
})

test('accepts Infinity for maxInFlight', async () => {
  const send = async () => response(200, { choices: [{ message: { content: 'Hi.' } }] })
  const reply = await createChatModel(wiring(send, { maxInFlight: Number.POSITIVE_INFINITY })).complete(
    request,
  )
  expect(reply.message.content).toBe('Hi.')
})
