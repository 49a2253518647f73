import { expect, test } from 'vitest'
import * as z from 'zod'
import { jsonAnswer, startRawServer, streamHead, streamPiece } from '../../test/raw-server.js'
import { startScriptedServer } from '../../test/scripted-server.js'
import {
  Agent,
  type ChatModel,
  chatModel,
  fallback,
  tool,
  type WireListener,
  type WireNote,
  type WireRequest,
  type WireTap,
  wireTap,
} from '../index.js'
import { messagesModel } from '../messages.js'
import { responsesModel } from '../responses.js'

const down = { status: 503, body: { error: { message: 'overloaded' } } }

test('a tap gets the bytes of requests and responses as the server has them', async () => {
  await using server = await startScriptedServer([{ calls: [{ name: 'none' }] }, { text: 'Hello.' }])
  const { tap, exchanges } = startTap()
  await new Agent({ model: chatModel('m', server) }).run('Grüße', { model: through(tap) })
  expect(exchanges.map(({ request }) => JSON.parse(textOf(request.body)))).toEqual(
    server.requests.map(({ body }) => body),
  )
  expect(exchanges.map(({ happened }) => happened)).toEqual([
    ['sent', 200, 'received', 'ended'],
    ['sent', 200, 'received', 'ended'],
  ])
  expect(exchanges[1]).toMatchObject({
    request: { url: `${server.baseURL}/chat/completions`, headers: { 'content-type': 'application/json' } },
    headers: { 'content-type': 'application/json' },
    reply: { message: { content: 'Hello.' } },
  })
  expect(JSON.parse(textOf(exchanges[1]?.pieces ?? []))).toMatchObject({ model: 'scripted' })
})

test('pieces come as they arrive, each before it is read', async () => {
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const { tap, exchanges } = startTap()
  let sendNext = () => {}
  await using server = await startRawServer((_request, socket) => {
    socket.write(streamHead + streamPiece(chunk('one')))
    sendNext = () => socket.end(`${streamPiece(chunk('two'))}${streamPiece('data: [DONE]\n\n')}0\r\n\r\n`)
  })
  const seen: string[] = []
  const agent = new Agent({ model: chatModel('m', { baseURL: server.baseURL, apiKey: '' }) })
  for await (const text of agent.stream('Hello.', { model: through(tap) }).textStream) {
    seen.push(`${text} ${textOf(exchanges[0]?.pieces ?? []).includes(text)}`)
    if (text === 'one') sendNext()
  }
  expect(seen).toEqual(['one true', 'two true'])
  expect(textOf(exchanges[0]?.pieces ?? [])).toBe(`${chunk('one')}${chunk('two')}data: [DONE]\n\n`)
})

test('each attempt is an exchange of its own, through fallback too', async () => {
  await using first = await startScriptedServer([down, down])
  await using second = await startScriptedServer([{ text: 'Here.' }])
  const { tap, exchanges } = startTap()
  const model = fallback([
    chatModel('a', { ...first, maxRetries: 1 }),
    chatModel('b', { ...second, maxRetries: 0 }),
  ])
  await new Agent({ model }).run('Hello.', { model: through(tap) })
  expect(exchanges.map(({ status, error }) => [status, error])).toEqual([
    [503, expect.objectContaining({ code: 'api' })],
    [503, expect.objectContaining({ code: 'api' })],
    [200, undefined],
  ])
})

test('a request without a response ends with its error', async () => {
  await using server = await startRawServer((_request, socket) => socket.destroy())
  const { tap, exchanges } = startTap()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '', maxRetries: 0 })
  await expect(new Agent({ model }).run('Hello.', { model: through(tap) })).rejects.toThrow('Cannot reach')
  expect(exchanges).toMatchObject([{ happened: ['sent', 'ended'], error: { code: 'network' } }])
})

const body = {
  output: [],
  content: [{ type: 'text', text: 'Hi.' }],
  type: 'message',
  stop_reason: 'end_turn',
}
const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }]

test.each([
  ['responsesModel', responsesModel, { object: 'response', status: 'completed', output }],
  ['messagesModel', messagesModel, body],
] as const)('a request of %s is told', async (_name, create, answer) => {
  await using server = await startRawServer((_request, socket) => socket.write(jsonAnswer(answer)))
  const { tap, exchanges } = startTap()
  const model = create('m', { baseURL: server.baseURL, apiKey: 'sk-test-key-1234567890' })
  const { text } = await new Agent({ model }).run('Hello.', { model: through(tap) })
  expect(text).toBe('Hi.')
  expect(exchanges).toHaveLength(1)
  expect(JSON.parse(textOf(exchanges[0]?.pieces ?? []))).toEqual(answer)
  expect(JSON.stringify(exchanges)).not.toContain('sk-test-key')
})

test('addresses, headers and errors are without secrets', async () => {
  const secret = 'very-secret-7531'
  const answer = `HTTP/1.1 401 No\r\nset-cookie: id=1234\r\nx-echo: ${secret}\r\ncontent-length: ${secret.length}\r\n\r\n${secret}`
  await using server = await startRawServer((_request, socket) => socket.write(answer))
  const { tap, exchanges } = startTap()
  const model = chatModel('m', {
    baseURL: `${server.baseURL}?key=${secret}`,
    apiKey: secret,
    headers: { 'x-tenant': secret, cookie: 'a=1' },
  })
  await expect(new Agent({ model }).run('Hello.', { model: through(tap) })).rejects.toThrow()
  const [exchange] = exchanges
  expect(exchange).toMatchObject({
    request: {
      url: `${server.baseURL}/chat/completions?key=[redacted]`,
      headers: { authorization: '[redacted]', 'x-tenant': '[redacted]', cookie: '[redacted]' },
    },
    headers: { 'set-cookie': '[redacted]', 'x-echo': '[redacted]' },
  })
  expect(String(exchange?.error)).not.toContain(secret)
})

test.each(['sent', 'headers', 'received', 'ended'])(
  'an error of the tap in %s changes nothing',
  async (at) => {
    await using server = await startScriptedServer([{ text: 'Hello.' }])
    const fail = (where: string) => {
      if (where === at) throw new Error('the tap failed')
    }
    const tap = wireTap({
      sent() {
        fail('sent')
        return {
          headers: () => fail('headers'),
          received: () => fail('received'),
          noted: () => fail('noted'),
          ended: () => fail('ended'),
        }
      },
    })
    const { text } = await new Agent({ model: chatModel('m', server) }).run('Hi.', { model: through(tap) })
    expect(text).toBe('Hello.')
  },
)

test('notes tell what is read as other than it was received, once for each call', async () => {
  const chunk = (delta: object, reason?: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason ?? null }] })}\n\n`
  const piece = (text: string) => chunk({ tool_calls: [{ function: { arguments: text } }] })
  const call = { function: { name: 'functions.add', arguments: '' } }
  const stream = [chunk({ tool_calls: [call] }), piece('{"a"'), piece(':1}'), chunk({}, 'STOP')]
  await using server = await startRawServer((request, socket) => {
    const isFirst = !request.includes('"role":"tool"')
    socket.write(
      `${streamHead}${streamPiece((isFirst ? stream : [chunk({ content: 'Done.' }, 'stop')]).join(''))}0\r\n\r\n`,
    )
  })
  const { tap, exchanges } = startTap()
  const add = tool({
    name: 'add',
    description: 'Adds',
    parameters: z.object({ a: z.number() }),
    execute: ({ a }) => a + 1,
  })
  const agent = new Agent({ model: chatModel('m', { baseURL: server.baseURL, apiKey: '' }), tools: [add] })
  await agent.stream('Add.', { model: through(tap) }).result
  expect(exchanges.map(({ notes }) => notes)).toEqual([
    [
      { code: 'call-by-order', call: 0 },
      { code: 'finish-reason-read', from: 'STOP', to: 'stop' },
      { code: 'no-usage' },
      { code: 'calls-despite-reason', from: 'stop' },
      { code: 'id-missing', call: 0 },
      { code: 'name-cleaned', call: 0, from: 'functions.add', to: 'add' },
    ],
    [{ code: 'no-usage' }],
  ])
})

test('texts of a note have at most 200 characters', async () => {
  const long = 'x'.repeat(300)
  const choices = [{ index: 0, message: { content: { type: 'text', text: long } }, finish_reason: 'stop' }]
  await using server = await startRawServer((_request, socket) => socket.write(jsonAnswer({ choices })))
  const { tap, exchanges } = startTap()
  await new Agent({ model: chatModel('m', { baseURL: server.baseURL, apiKey: '' }) }).run('Hi.', {
    model: through(tap),
  })
  expect(exchanges[0]?.notes[0]).toMatchObject({
    code: 'object-for-list',
    from: expect.stringMatching(/^.{200}$/),
  })
})

test('two taps of a request hear the same', async () => {
  await using server = await startScriptedServer([{ text: 'Hello.', finish: 'STOP' }])
  const [inner, outer] = [startTap(), startTap()]
  const both = wireTap(outer.listener, inner.tap)
  await new Agent({ model: chatModel('m', server) }).run('Hi.', { model: through(both) })
  expect(outer.exchanges).toEqual(inner.exchanges)
  expect(outer.exchanges).toMatchObject([
    { happened: ['sent', 200, 'received', 'ended'], notes: [{ code: 'finish-reason-read' }] },
  ])
})

interface Heard {
  readonly request: WireRequest
  readonly happened: (string | number)[]
  readonly pieces: Uint8Array[]
  readonly notes: WireNote[]
  status?: number
  headers?: Readonly<Record<string, string>>
  reply?: unknown
  error?: unknown
}

/** A tap that records what it receives. */
function startTap() {
  const exchanges: Heard[] = []
  const listener: WireListener = {
    sent(request) {
      const heard: Heard = { request, happened: ['sent'], pieces: [], notes: [] }
      exchanges.push(heard)
      return {
        headers(status, headers) {
          heard.happened.push(status)
          Object.assign(heard, { status, headers })
        },
        received(bytes) {
          heard.happened.push('received')
          heard.pieces.push(bytes)
        },
        noted: (note) => heard.notes.push(note),
        ended(outcome) {
          heard.happened.push('ended')
          Object.assign(heard, outcome)
        },
      }
    },
  }
  return { tap: wireTap(listener), listener, exchanges }
}

/** Returns a function that adds a tap to a model. */
function through(tap: WireTap): (own: ChatModel) => ChatModel {
  return (own) => ({ ...own, complete: (request, sink) => own.complete({ ...request, tap }, sink) })
}

function textOf(bytes: readonly Uint8Array[]): string {
  return Buffer.concat(bytes).toString()
}
