import { describe, expect, test } from 'vitest'
import { delta, whole, wireCall } from '../../test/chunks.js'
import { expectLinear } from '../../test/expect-linear.js'
import { encode, event, failure, read } from '../../test/read.js'

const call = wireCall('a', 'f', '{"city":"Tromsø 🌌"}')
const completion = JSON.stringify(
  whole({ content: 'Hé', tool_calls: [call] }, { finish_reason: 'tool_calls' }),
)
const stream = [
  ': hello\r\n\r\n',
  event(delta({ role: 'assistant', content: 'Hé' })),
  event(delta({ tool_calls: [{ ...wireCall('a', 'f', '{"city":'), index: 0 }] })),
  event(delta({ tool_calls: [{ index: 0, function: { arguments: '"Tromsø 🌌"}' } }] }, 'tool_calls')),
  'data: [DONE] \n\n',
].join('')

describe.each([
  ['a completion', completion],
  ['a stream', stream],
])('%s', (_form, text) => {
  const expected = {
    message: { role: 'assistant', content: 'Hé', tool_calls: [call] },
    finishReason: 'tool_calls',
  }

  test('is told by its content, whatever was asked for and whatever its header says', async () => {
    expect(await read({ pieces: [encode(text)] })).toMatchObject(expected)
    const headers = { 'content-type': text === stream ? 'application/json' : 'text/event-stream' }
    expect(await read({ pieces: [encode(text)], headers })).toMatchObject(expected)
  })

  test('is read one byte at a time', async () => {
    const pieces = Array.from(encode(text), (byte) => Uint8Array.of(byte))
    expect(await read({ pieces })).toMatchObject(expected)
  })

  test('may begin with a byte order mark, empty pieces and empty lines', async () => {
    const pieces = [
      Uint8Array.of(),
      Uint8Array.of(0xef, 0xbb),
      Uint8Array.of(0xbf),
      encode('\r\n'),
      encode(text),
    ]
    expect(await read({ pieces })).toMatchObject(expected)
  })
})

test('reads nothing after the end of a stream', async () => {
  const after = [
    encode(`${stream}data: {"choices":[{"delta":{"content":"more"}}]}\n\ndata: garbage\n\n`),
    encode('data: x\n\n'),
  ]
  const { message, unread } = await read({ pieces: [...after, new Error('reset')] })
  expect(message.content).toBe('Hé')
  expect(unread).toBe(2)
})

test('emits text on arrival and marks it incomplete without an end', async () => {
  const pieces = ['a', 'b'].map((content) => encode(event(delta({ content }))))
  const { message, incomplete, deltas } = await read({ pieces })
  expect({ content: message.content, incomplete }).toEqual({ content: 'ab', incomplete: true })
  expect(deltas).toHaveLength(2)
})

test('accepts a whole completion without an end mark', async () => {
  const text = JSON.stringify(whole({ content: null, tool_calls: [call] }))
  const reply = await read({ pieces: [encode(text)] })
  expect(reply.message.tool_calls).toEqual([call])
  expect(reply).not.toHaveProperty('incomplete')
})

test('returns no calls of a stream without an end', async () => {
  const [before = ''] = stream.split('data: [DONE]')
  const cut = before.replace('"finish_reason":"tool_calls"', '"finish_reason":""')
  expect(await failure({ pieces: [encode(cut)] })).toMatchObject({ code: 'truncated', retryable: true })
})

test.each([
  ['a mark', '\ufeffdata: '],
  ['a space', ' data: '],
  ['another case', 'Data: '],
  ['its field twice', 'data: data: '],
])('keeps a piece whose line begins with %s', async (_what, field) => {
  const piece = (text: string) => delta({ tool_calls: [{ ...wireCall('a', 'f', text), index: 0 }] })
  const pieces = [
    event(piece('{"path":"/tmp/')),
    event(piece('keep/')).replace('data: ', field),
    event(piece('x"}')),
  ]
  const { message } = await read({ pieces: [...pieces, 'data: [DONE]\n\n'].map(encode) })
  expect(message.tool_calls).toEqual([wireCall('a', 'f', '{"path":"/tmp/keep/x"}')])
})

test('reads events without empty lines between them', async () => {
  const lines = stream.replaceAll('\n\n', '\n').replaceAll('\r\n', '\n')
  expect(await read({ pieces: [encode(lines)] })).toMatchObject({ message: { tool_calls: [call] } })
})

test.each(['data: [DONE]\ndata: [DONE]\n\n', 'data: [done]\n\n', 'data: "[DONE]"\n\n', '[DONE]\n\n'])(
  '%j is the end',
  async (mark) => {
    const reply = await read({
      pieces: [encode(event(delta({ tool_calls: [{ ...call, index: 0 }] })) + mark)],
    })
    expect(reply.message.tool_calls).toEqual([call])
  },
)

test.each(['ping', 'null', '[]', '{}', '"2026-11-21T10:00:00Z"', '{"type":"ping","message":"pong"}'])(
  'the event %s is a sign of life',
  async (data) => {
    const text = `${event(delta({ content: 'a' }))}data: ${data}\n\n${event(delta({ content: 'b' }, 'stop'))}`
    expect(await read({ pieces: [encode(text)] })).toMatchObject({ message: { content: 'ab' } })
  },
)

test('detects a stream in linear time', () =>
  expectLinear((length) => {
    const pieces = Array.from(encode(`data${' '.repeat(length)}`), (byte) => Uint8Array.of(byte))
    return async () => expect(await failure({ pieces })).toMatchObject({ code: 'invalid_response' })
  }, 10_000))
