import { expect, test } from 'vitest'
import { isEndMark, isErrorName, isHeartbeat, isHeartbeatJson } from './sse.js'

test('the end is marked by the word for it, in any case, quoted or bare', () => {
  for (const data of ['[DONE]', '[done]', '"[DONE]"', 'DONE']) expect(isEndMark(data)).toBe(true)
  for (const data of ['', '[DONE', '[DONE]}', '{"done":true}']) expect(isEndMark(data)).toBe(false)
})

test('an error is named as one, alone or as the last of several words', () => {
  for (const type of ['error', 'Error', 'response.failed', 'stream_error'])
    expect(isErrorName(type)).toBe(true)
  for (const type of ['message', 'errors', 'error.cleared', '']) expect(isErrorName(type)).toBe(false)
})

test.each([
  '',
  'ping',
  '"pong"',
  'keep-alive',
  '[HEARTBEAT]',
  ': OPENROUTER PROCESSING',
  '1700000000',
  '10:15:00',
])('the data %j are a heartbeat', (data) => expect(isHeartbeat({ type: 'message', data })).toBe(true))

test.each(['"2026-11-21T10:00:00Z"', 'Sat, 21 Nov 2026 10:00:00 GMT'])('the time of day %j is one', (data) =>
  expect(isHeartbeat({ type: 'message', data })).toBe(true),
)

test('an event that is named so is a heartbeat, whatever its data', () => {
  expect(isHeartbeat({ type: 'ping', data: '{"cost":"0"}' })).toBe(true)
})

test.each(['Hello', '{}', ': {"choices":[]}', 'ping {', 'true', '"ty":"Oslo"'])(
  'the data %j are none',
  (data) => {
    expect(isHeartbeat({ type: 'message', data })).toBe(false)
  },
)

test.each([null, '', [], {}, { type: 'ping' }, { object: 'heartbeat', n: 1 }])('%j says nothing', (value) => {
  expect(isHeartbeatJson(value)).toBe(true)
})

test.each([undefined, true, 'x', [1], { type: 'error' }, { choices: [] }])(
  '%j may say something',
  (value) => {
    expect(isHeartbeatJson(value)).toBe(false)
  },
)
