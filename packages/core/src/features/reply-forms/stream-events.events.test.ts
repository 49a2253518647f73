import { expect, test } from 'vitest'
import { isEndMark, isErrorName, isHeartbeat, isHeartbeatJson } from './stream-events.js'

test('recognizes end marks in any case, quoted or bare', () => {
  for (const data of ['[DONE]', '[done]', '"[DONE]"', 'DONE']) expect(isEndMark(data)).toBe(true)
  for (const data of ['', '[DONE', '[DONE]}', '{"done":true}']) expect(isEndMark(data)).toBe(false)
})

test('recognizes error event names', () => {
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
])('reads the data %j as a heartbeat', (data) => expect(isHeartbeat({ type: 'message', data })).toBe(true))

test.each(['"2026-11-21T10:00:00Z"', 'Sat, 21 Nov 2026 10:00:00 GMT'])(
  'reads the time %j as a heartbeat',
  (data) => expect(isHeartbeat({ type: 'message', data })).toBe(true),
)

test('reads an event with a heartbeat name as a heartbeat', () => {
  expect(isHeartbeat({ type: 'ping', data: '{"cost":"0"}' })).toBe(true)
})

test.each(['Hello', '{}', ': {"choices":[]}', 'ping {', 'true', '"ty":"Oslo"'])(
  'the data %j are none',
  (data) => {
    expect(isHeartbeat({ type: 'message', data })).toBe(false)
  },
)

test.each([null, '', [], {}, { type: 'ping' }, { object: 'heartbeat', n: 1 }])(
  'reads %j as a heartbeat',
  (value) => {
    expect(isHeartbeatJson(value)).toBe(true)
  },
)

test.each([undefined, true, 'x', [1], { type: 'error' }, { choices: [] }])(
  '%j may say something',
  (value) => {
    expect(isHeartbeatJson(value)).toBe(false)
  },
)
