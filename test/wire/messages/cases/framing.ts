import { gzipSync } from 'node:zlib'
import { text as body, eventStream, json, splitEvery, withHeaders } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { requestFails, said } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  call,
  callBlock,
  ends,
  event,
  message,
  opens,
  says,
  starts,
  stop,
  streamed,
  text,
} from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const wireCase = inArea('framing', messagesWire)
const spec = 'https://html.spec.whatwg.org/multipage/server-sent-events.html'
const calls = streamed(call(oslo), 'tool_use')
const unreadable = requestFails('invalid_response', { retryable: true })

/** How bytes become events. */
export const framing: readonly WireCase[] = [
  wireCase('n11', 'lines end with CRLF', {
    evidence: [spec],
    stream: calls.map((one) => one.replaceAll('\n', '\r\n')),
    expect: ranOslo,
  }),
  wireCase('n12', 'each byte comes alone', {
    evidence: [spec],
    stream: splitEvery(
      1,
      eventStream(streamed([...text('Løype på snø.'), ...call('{"city":"Bodø"}', 1)], 'tool_use')),
    ),
    expect: { calls: [{ name: 'get_weather', arguments: { city: 'Bodø' } }], text: 'Løype på snø.' },
  }),
  wireCase('n13', 'comments stand between and inside events', {
    evidence: [spec, 'derived: keep-alive comments of gateways'],
    stream: [': connected\n\n', ...calls.map((one) => `: alive\n${one}: alive\n\n`)],
    expect: ranOslo,
  }),
  wireCase('n14', 'a byte order mark comes first', {
    evidence: [spec],
    stream: ['\ufeff', ...calls],
    expect: ranOslo,
  }),
  wireCase('n15', 'fields have no space after the colon', {
    evidence: [spec, 'BerriAI/litellm#8066'],
    stream: calls.map((one) => one.replace('event: ', 'event:').replace('data: ', 'data:')),
    expect: ranOslo,
  }),
  wireCase('n16', 'the last event has no empty line', {
    evidence: [spec],
    stream: [...calls.slice(0, -1), stop.trimEnd()],
    expect: ranOslo,
  }),
  wireCase('n17', 'an event is no JSON', {
    evidence: ['derived: a gateway cuts an event'],
    stream: [
      starts(),
      ...text('Sn'),
      'event: content_block_delta\ndata: {"type":"content_blo\n\n',
      ...calls.slice(1),
    ],
    expect: unreadable,
  }),
  wireCase('n18', 'the stream ends within an event', {
    evidence: ['BerriAI/litellm#32159'],
    stream: [...calls.slice(0, -3), 'event: content_block_delta\ndata: {"type":"content_blo'],
    expect: requestFails('truncated', { retryable: true }),
  }),
  wireCase('n19', 'arguments have invalid UTF-8', {
    evidence: ['derived: bytes that no text has'],
    stream: [
      starts(),
      opens(callBlock()),
      Buffer.from(
        event('content_block_delta', {
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '{"city":"Osl?"}' },
        }),
      ).map((byte) => (byte === 0x3f ? 0xff : byte)),
      ends('tool_use'),
      stop,
    ],
    notes: ['bytes-garbled'],
    expect: unreadable,
  }),
  wireCase('n20', 'the data of a ping is empty', {
    evidence: ['derived: heartbeats of gateways'],
    stream: [
      starts(),
      'event: ping\ndata:\n\n',
      'event: ping\ndata: {}\n\n',
      opens({ type: 'text', text: '' }),
      says('Snow.'),
      ends(),
      stop,
    ],
    notes: ['event-passed-over'],
    expect: said('Snow.'),
  }),
  wireCase('n21', 'a stream is compressed', {
    evidence: ['derived: proxies compress'],
    stream: withHeaders(eventStream([gzipSync(calls.join(''))]), { 'content-encoding': 'gzip' }),
    notes: ['compressed'],
    expect: ranOslo,
  }),
  wireCase('n22', 'a plain message has white space around it', {
    evidence: ['derived: keep-alive white space'],
    plain: body(
      200,
      'application/json',
      `\n \n${JSON.stringify(message([callBlock({ city: 'Oslo' })], 'tool_use'))}\n`,
    ),
    expect: ranOslo,
  }),
  wireCase('n23', 'a stream has the type of JSON', {
    evidence: ['derived: gateways set wrong headers'],
    stream: withHeaders(eventStream(calls), { 'content-type': 'application/json' }),
    expect: ranOslo,
  }),
  wireCase('n24', 'a plain message is cut', {
    evidence: ['derived: a proxy closes the connection'],
    plain: body(
      200,
      'application/json',
      JSON.stringify(message([callBlock({ city: 'Oslo' })])).slice(0, -30),
    ),
    expect: requestFails(['invalid_response', 'truncated'], { retryable: true }),
  }),
  wireCase('n25', 'the body is empty', {
    evidence: ['anthropics/claude-code#486'],
    plain: json(200, undefined, { writes: [] }),
    expect: requestFails(['invalid_response', 'truncated', 'network'], { retryable: true }),
  }),
]
