import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import { expectLinear } from '../../../test/expect-linear.js'
import { EventDecoder, type ServerEvent } from './stream-events.js'

function decode(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = []
  const decoder = new EventDecoder((event) => events.push(event))
  for (const piece of pieces) decoder.write(piece)
  decoder.end()
  return events
}

const dataOf = (...pieces: string[]) => decode(...pieces).map(({ data }) => data)

test.each([
  ['line feeds', 'data: a\n\ndata: b\n\n'],
  ['both', 'data: a\r\n\r\ndata: b\r\n\r\n'],
  ['carriage returns', 'data: a\r\rdata: b\r\r'],
  ['a mixture', 'data: a\r\n\ndata: b\r\r\n'],
  ['no space after the colon', 'data:a\n\ndata:b\n\n'],
  ['comments between', ': open\n\ndata: a\n: still here\n\n:\n\ndata: b\n\n'],
  ['ids and times to retry after', 'id: 1\nretry: 3000\ndata: a\n\nid: 2\ndata: b\n\n'],
  ['heartbeats without data', 'data\n\ndata: a\n\ndata:\n\ndata: \n\nid: 7\n\ndata: b\n\n'],
  ['many empty lines', '\n\n\ndata: a\n\n\n\ndata: b\n\n\n'],
  ['fields nobody knows', 'data: a\ndatax: no\nfoo\n\ndata: b\n\n'],
  ['no end of the last event', 'data: a\n\ndata: b\n'],
  ['no end of the last line', 'data: a\n\ndata: b'],
  ['half an end of the last line', 'data: a\n\ndata: b\r'],
])('separates two events with %s', (_how, text) => {
  expect(dataOf(text)).toEqual(['a', 'b'])
  expect(dataOf(...text)).toEqual(['a', 'b'])
})

test('reads CR LF as one line end across reads', () => {
  expect(dataOf('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual(['a\nb'])
  expect(dataOf('data: a\r', '', '\n', '\r\n')).toEqual(['a'])
})

test('joins data lines without one leading space', () => {
  expect(dataOf('data: {\ndata:  "a": 1\ndata:}\n\n')).toEqual(['{\n "a": 1\n}'])
  expect(dataOf('data: a: b:c\n\n')).toEqual(['a: b:c'])
})

test('applies a name to one event only', () => {
  expect(decode('event: error\ndata: a\n\ndata: b\n\ndata: c\nevent:error\n\n')).toEqual([
    { type: 'error', data: 'a' },
    { type: 'message', data: 'b' },
    { type: 'error', data: 'c' },
  ])
})

test('reports a named event without data', () => {
  expect(decode('event: error\n\ndata: a\n\nevent:\n\n')).toEqual([
    { type: 'error', data: '' },
    { type: 'message', data: 'a' },
  ])
})

test.each([
  ['a byte order mark', '\ufeffdata: a\n\n'],
  ['a space', ' data: a\n\n'],
  ['a tab', '\tdata:a\n\n'],
  ['another case', 'Data: a\n\n'],
  ['a space before the colon', 'DATA : a\n\n'],
])('reads a data line with %s', (_how, text) => {
  expect(dataOf(`${text}data: b\n\n`)).toEqual(['a', 'b'])
})

test.each([
  ['{"a":1}', '{"a":1}\n\n'],
  ['[DONE]', '[DONE]\n\n'],
  ['{\n  "a": 1\n}', 'data: {\n  "a": 1\n}\n\n'],
  ['dat: {"a":1}', 'dat: {"a":1}\n\n'],
  ['{"a":1}\nx-b: {', 'data: {"a":1}\nx-b: {\n\n'],
])('reads an unknown line that looks like JSON as data: %j', (data, text) => {
  expect(dataOf(text)).toEqual([data])
})

test.each([': {"a":1}\n\n', ' : {"a":1}\n\n', 'id: {"a":1}\n\n', 'a: b\n\n', '  \n\n'])(
  '%j is passed over',
  (text) => {
    expect(decode(text)).toEqual([])
  },
)

test('reports an event at its empty line', () => {
  const seen: string[] = []
  const decoder = new EventDecoder(({ data }) => seen.push(data))
  decoder.write('data: a\n')
  expect(seen).toEqual([])
  decoder.write('\ndata: b\n\nda')
  expect(seen).toEqual(['a', 'b'])
})

test('reports nothing for empty input', () => {
  expect(decode()).toEqual([])
  expect(decode('', '\n', '\r')).toEqual([])
})

test('reads a long line of white space in linear time', () =>
  expectLinear((length) => {
    const text = `${' '.repeat(length)}x{\n\n`
    return () => expect(decode(text)).toHaveLength(1)
  }, 25_000))

const line = fc.string({ unit: fc.constantFrom('a', ' ', ':', '"', '{', 'é', '😀', 'data'), maxLength: 8 })
const event = fc.record({
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
  type: fc.constantFrom('message', 'error'),
  space: fc.constantFrom('', ' '),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  comment: fc.boolean(),
})

test('reads the same events for any line ends and cuts', () => {
  const property = fc.property(fc.array(event), fc.array(fc.nat(200)), (events, cuts) => {
    const text = events.map(write).join('')
    const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
    const pieces = at.slice(1).map((end, i) => text.slice(at[i], end))
    const expected = events.map(({ type, data }) => ({ type, data: data.join('\n') }))
    expect(decode(...pieces)).toEqual(
      expected.filter(({ type, data }) => data.trim() !== '' || type !== 'message'),
    )
  })
  fc.assert(property, { numRuns: cases(500) })
})

function write({ data, type, space, end, comment }: typeof event extends fc.Arbitrary<infer E> ? E : never) {
  // A value that starts with a space needs the optional space before it.
  const lines = data.map((value) => `data:${value.startsWith(' ') ? ' ' : space}${value}${end}`)
  return `${comment ? `:c${end}` : ''}event:${space}${type}${end}${lines.join('')}${end}`
}
