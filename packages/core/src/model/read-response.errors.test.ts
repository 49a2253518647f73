import { expect, test } from 'vitest'
import { delta, whole, wireCall } from '../../test/chunks.js'
import { encode, event, failure, read } from '../../test/read.js'

const completion = JSON.stringify(whole({ content: 'Hello' }))
const stream = `${event(delta({ content: 'Hello' }, 'stop'))}data: [DONE]\n\n`

test.each([
  [
    'a broken event in a stream',
    `${event(delta({ content: 'a' }))}data: {"choices":[{\n\n${stream}`,
    'a stream event: {"choices":[{',
  ],
  ['a list for an event', 'data: [1]\n\n', 'a stream event: [1]'],
  ['a completion that is cut', completion.slice(0, -5), 'the body: {"choices"'],
  ['a list', '[]', 'the body: []'],
  ['nothing', '', 'the body, which is empty'],
  ['white space', ' \n', 'the body, which is empty'],
])('rejects %s and uses nothing of it', async (_what, text, where) => {
  const error = await failure({ pieces: [encode(text)] })
  expect(error).toMatchObject({ code: 'invalid_response', retryable: true })
  expect(error.message).toContain(`The model server sent invalid JSON in ${where}`)
})

test('rejects a web page without a retry', async () => {
  const error = await failure({ pieces: [encode('<!doctype html><title>Login</title>')] })
  expect(error).toMatchObject({ code: 'invalid_response', retryable: false })
  expect(error.message).toContain('Check baseURL')
})

test.each(['{"choices":[]}', ': only a comment\n\n', 'data: [DONE]\n\n'])(
  '%j holds no answer',
  async (text) => {
    expect(await failure({ pieces: [encode(text)] })).toMatchObject({
      code: 'invalid_response',
      message: 'The model server replied without a choice. Send the request again.',
    })
  },
)

const overloaded = { message: 'overloaded', code: 503 }

test.each([
  ['in a body', JSON.stringify({ error: overloaded })],
  ['in the choice of a body', JSON.stringify(whole({ content: '' }, { error: overloaded }))],
  ['in a stream', event(delta({ content: 'a' })) + event({ error: overloaded }) + stream],
  ['in the choice of a chunk', event(delta({ content: 'a' })) + event(whole(null, { error: overloaded }))],
  ['as an event of its own', `event: error\n${event(overloaded)}`],
  ['within an event of its own', `event: error\n${event({ error: overloaded })}`],
  ['in the delta of a chunk', event(delta({ error: overloaded }, 'stop'))],
  [
    'in the message of a body',
    JSON.stringify(whole({ content: '', error: overloaded }, { finish_reason: 'stop' })),
  ],
  ['in a chunk that is one', event(delta({ content: 'a' })) + event({ object: 'error', ...overloaded })],
  [
    'in a chunk of words',
    event(delta({ content: 'a' })) + event({ detail: 'overloaded', code: 503 }) + stream,
  ],
  ['in the second of two choices', event({ choices: [{ index: 1 }, { index: 0, error: overloaded }] })],
  ['in a list', JSON.stringify([{ error: overloaded }])],
  ['in a list in a stream', event(delta({ content: 'a' })) + event([{ error: overloaded }])],
])('reads an error with status 200 and its inner status: %s', async (_where, text) => {
  expect(await failure({ pieces: [encode(text)] })).toMatchObject({
    code: 'api',
    status: 503,
    retryable: true,
    message: 'The model server returned 200 with error 503: overloaded',
  })
})

test('rejects an error event in plain text', async () => {
  const pieces = [encode('event: error\ndata: out of paper\n\n')]
  expect(await failure({ pieces })).toMatchObject({
    code: 'api',
    message: expect.stringContaining('out of paper'),
  })
})

test.each(['event: error\n\n', 'event: error\ndata: [DONE]\n\n', 'event: response.failed\ndata:\n\n'])(
  'an error event without a word, %j, is an error',
  async (text) => {
    const pieces = [encode(event(delta({ content: 'a' }))), encode(`${text}data: [DONE]\n\n`)]
    expect(await failure({ pieces })).toMatchObject({
      code: 'api',
      retryable: true,
      message: expect.stringContaining('and no message'),
    })
  },
)

test('calls in bytes that are no UTF-8 do not run; a text of such is shown as far as it goes', async () => {
  const garbled = (chunk: object) =>
    Uint8Array.from([...encode(event(chunk))].map((byte) => (byte === '*'.charCodeAt(0) ? 0xe9 : byte)))
  const call = { ...wireCall('a', 'f', '{"x":"caf*"}'), index: 0 }
  expect(await failure({ pieces: [garbled(delta({ tool_calls: [call] }, 'stop'))] })).toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('invalid UTF-8'),
  })
  const { message } = await read({ pieces: [garbled(delta({ content: 'caf*' }, 'stop'))] })
  expect(message.content).toBe('caf\ufffd')
})

test('a stream that ends inside of an event is cut off; after its finish reason only an end mark or counts are', async () => {
  const begun = event(delta({ content: 'Hello' }))
  expect(await failure({ pieces: [encode(`${begun}data: {"choices":[{"del`)] })).toMatchObject({
    code: 'truncated',
  })
  const finished = event(delta({ content: 'Hello' }, 'stop'))
  for (const rest of ['data: [DO', 'data: {"id":"x","choices":[],"usage":{"pro', 'dat']) {
    const reply = await read({ pieces: [encode(finished + rest)] })
    expect(reply).toMatchObject({ message: { content: 'Hello' }, finishReason: 'stop' })
    expect(await read({ pieces: [encode(finished + rest), new Error('reset')] })).toMatchObject({
      finishReason: 'stop',
    })
  }
  const call = `${finished}data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a"`
  expect(await failure({ pieces: [encode(call)] })).toMatchObject({ code: 'truncated' })
})

test('keeps a complete reply when the connection breaks afterwards', async () => {
  const reset = new Error('reset')
  expect(await read({ pieces: [encode(completion), reset] })).toMatchObject({ message: { content: 'Hello' } })
  expect(await failure({ pieces: [encode(completion.slice(0, -1)), reset] })).toMatchObject({
    code: 'truncated',
  })
})

test('reads any body with an error status as the error', async () => {
  const headers = { 'retry-after': '2' }
  const limited = { status: 429, pieces: [encode('{"error":"slow '), encode('down"}')], headers }
  expect(await failure(limited)).toMatchObject({
    code: 'rate_limit',
    retryAfterMs: 2000,
    message: expect.stringContaining('slow down'),
  })
  expect(await failure({ status: 500, pieces: [encode(stream)] })).toMatchObject({ code: 'api', status: 500 })
  expect(await failure({ status: 502, pieces: [] })).toMatchObject({
    message: expect.stringContaining('an empty body'),
  })
  expect(await failure({ status: 400, pieces: [encode('{"mess'), new Error('reset')] })).toMatchObject({
    code: 'invalid_request',
  })
})

test('classifies a broken connection by what arrived before', async () => {
  const reset = new Error('reset')
  const nothing = {
    code: 'network',
    retryable: true,
    cause: reset,
    message: expect.stringContaining('before a response (reset)'),
  }
  expect(await failure({ pieces: [reset] })).toMatchObject(nothing)
  expect(await failure({ pieces: [encode(': hello\n\n'), reset] })).toMatchObject(nothing)
  const some = { code: 'truncated', retryable: true, cause: reset }
  expect(await failure({ pieces: [encode(event(delta({ content: 'a' }))), reset] })).toMatchObject(some)
})

test('rejects with the abort reason while reading', async () => {
  const pieces = [encode(event(delta({ content: 'a' }))), new Error('This operation was aborted')]
  await expect(read({ pieces, signal: AbortSignal.abort('stop') })).rejects.toBe('stop')
})

test.each([
  ['{"code":401,"msg":"token invalid","data":null}', 401, 'auth', 'error 401: token invalid'],
  ['{"success":false,"message":"no such channel"}', 200, 'api', 'an error: no such channel'],
  ['{"detail":"Not Found"}', 200, 'api', 'an error: Not Found'],
  ['{"choices":null,"error":{"code":"rate_limit_exceeded"}}', 200, 'rate_limit', 'an error: {"code":'],
])('reports an unknown body with the server message: %s', async (text, status, code, said) => {
  const error = await failure({ pieces: [encode(text)] })
  expect(error).toMatchObject({ code, status })
  expect(error.message).toContain(`The model server returned 200 with ${said}`)
})

test.each([
  ['{}', 'an empty object'],
  ['{"object":"list","data":[]}', 'object, data'],
  ['{"model":"m","message":{"role":"assistant","content":"Hi."}}', 'model, message'],
  ['{"choices":null,"error":false}', 'choices, error'],
])('a body without choices and without an error is told by what came: %s', async (text, what) => {
  expect(await failure({ pieces: [encode(text)] })).toMatchObject({
    code: 'invalid_response',
    retryable: true,
    evidence: { excerpt: text },
    message: expect.stringContaining(`replied without choices: it sent ${what}.`),
  })
})

test.each([false, 0, '', null, {}, [], { message: '', code: null }])(
  'an error that says nothing, %j, takes no answer away',
  async (error) => {
    const good = JSON.stringify({ ...whole({ content: 'Hello' }), error })
    expect(await read({ pieces: [encode(good)] })).toMatchObject({ message: { content: 'Hello' } })
    const streamed = event({ ...delta({ content: 'Hello' }, 'stop'), error })
    expect(await read({ pieces: [encode(streamed)] })).toMatchObject({ message: { content: 'Hello' } })
  },
)

test('reports a redirect with the baseURL to set', async () => {
  const headers = { location: 'https://b.test/v1/chat/completions' }
  expect(await failure({ status: 308, pieces: [encode(stream)], headers })).toMatchObject({
    code: 'invalid_request',
    status: 308,
    retryable: false,
    message: expect.stringContaining('Set baseURL to "https://b.test/v1"'),
  })
})

test('reports a broken connection with its innermost cause', async () => {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  const error = await failure({ pieces: [new TypeError('terminated', { cause })] })
  expect(error.message).toContain('(other side closed (UND_ERR_SOCKET))')
})

test('ignores any amount of keep-alive white space', async () => {
  const heartbeats = Array.from({ length: 3000 }, () => encode(' \n'))
  const reply = await read({ pieces: [...heartbeats, encode(completion)] })
  expect(reply.message.content).toBe('Hello')
})
