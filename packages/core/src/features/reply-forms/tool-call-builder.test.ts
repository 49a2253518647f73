import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectLinear } from '../../../test/expect-linear.js'
import { CallsBuilder } from './tool-call-builder.js'

type Piece = readonly [index: number | null, id: unknown, name: unknown, text?: unknown]

/** Returns the calls that are built from pieces, each as `id name(arguments)`. */
function assembled(...pieces: Piece[]): string[] {
  const drafts = new CallsBuilder((name) => ['f', 'g', 'get', 'get_weather'].includes(name))
  for (const [index, id, name, text] of pieces)
    drafts.add([{ ...(index === null ? {} : { index }), id, function: { name, arguments: text } }])
  return drafts.toCalls().map(({ id, function: { name, arguments: text } }) => `${id} ${name}(${text})`)
}

test.each<[string, ...Piece[]]>([
  ['the usual way', [0, 'a', 'f', ''], [0, null, null, '{"x"'], [0, undefined, undefined, ':1}']],
  ['id and name empty in what follows', [0, 'a', 'f', '{"x"'], [0, '', '', ':1}']],
  ['id and name in every piece', [0, 'a', 'f', '{"x"'], [0, 'a', 'f', ':1}']],
  ['no index', [null, 'a', 'f', '{"x"'], [null, null, null, ':1}']],
  ['no index, ids in every piece', [null, 'a', 'f', '{"x"'], [null, 'a', null, ':1}']],
  ['an index that is negative', [-1, 'a', 'f', '{"x"'], [-1, null, null, ':1}']],
  ['another index in what follows', [0, 'a', 'f', '{"x"'], [1, 'a', null, ':1}']],
  ['another index and no id in what follows', [0, 'a', 'f', '{"x"'], [7, null, null, ':1}']],
  ['the name after the id', [0, 'a', null, ''], [0, null, 'f', '{"x":1}']],
  ['the id after the name', [0, null, 'f', ''], [0, 'a', null, '{"x":1}']],
  ['arguments before name and id', [0, null, null, '{"x":1}'], [0, 'a', 'f', '']],
  ['arguments as an object', [0, 'a', 'f', { x: 1 }]],
  ['arguments that begin as null', [0, 'a', 'f', null], [0, null, null, '{"x":1}']],
])('reads one call: %s', (_how, ...pieces) => {
  expect(assembled(...pieces)).toEqual(['a f({"x":1})'])
})

test('converts a numeric id to text', () => {
  expect(assembled([0, 7, 'f', '{}'], [0, 7, null, ''])).toEqual(['7 f({})'])
})

test.each<[string, ...Piece[]]>([
  ['get_weather', [0, 'a', 'get_', ''], [0, null, 'weather', '{}']],
  ['get_weather', [0, 'a', 'get', ''], [0, null, '_wea', ''], [0, null, 'ther', '{}']],
  ['get_weather', [0, 'a', 'get', ''], [0, null, 'get_wea', ''], [0, null, 'get_weather', '{}']],
  ['get_weather', [0, 'a', 'get', ''], [0, null, '_weather', '{}']],
  ['functions.f', [0, 'a', 'functions.', ''], [0, null, 'f', '{}']],
  ['foo', [0, 'a', 'f', ''], [0, null, 'oo', '{}']],
  ['xy', [0, 'a', 'x', ''], [0, null, 'y', '{}']],
  ['f', [0, 'a', 'f', ''], [0, null, 'f', '{}'], [0, null, ' f', ''], [0, null, ' ', '']],
  // After arguments, a different name is not a piece of the first one: the call belongs to no tool.
  ['get _weather', [0, 'a', 'get', '{'], [0, null, '_weather', '}']],
])('reads the name of a call as %s', (name, ...pieces) => {
  expect(assembled(...pieces)).toEqual([`a ${name}({})`])
})

test.each<[string, ...Piece[]]>([
  ['ids and one index for all', [0, 'a', 'f', '{}'], [0, 'b', 'g', '{"y'], [0, null, null, '":2}']],
  [
    'ids, and the arguments of the first before its name',
    [0, '', '', '{}'],
    [1, 'b', 'g', '{"y":2}'],
    [0, 'a', 'f'],
  ],
  ['ids and no index', [null, 'a', 'f', '{}'], [null, 'b', 'g', '{"y":2}']],
  ['ids, and indexes from 1 with gaps', [1, 'a', 'f', '{}'], [5, 'b', 'g', '{"y":2}']],
  [
    'ids, the indexes crossed',
    [0, 'a', 'f', '{'],
    [1, 'b', 'g', '{"y'],
    [0, 'b', null, '":2}'],
    [1, 'a', null, '}'],
  ],
])('reads two calls: %s', (_how, ...pieces) => {
  expect(assembled(...pieces)).toEqual(['a f({})', 'b g({"y":2})'])
})

test.each<[string, ...Piece[]]>([
  ['indexes', [0, '', 'f', '{}'], [1, '', 'g', '{"y'], [1, '', '', '":2}']],
  [
    'names and whole arguments',
    [null, null, 'f', '{}'],
    [null, null, 'g', '{"y'],
    [null, null, null, '":2}'],
  ],
  ['names alone, the first without arguments', [null, null, 'f', ''], [null, null, 'g', '{"y":2}']],
  ['names under one index', [0, null, 'f', '{}'], [0, null, 'g', '{"y'], [0, null, null, '":2}']],
])('separates two calls without ids by %s', (_how, ...pieces) => {
  expect(assembled(...pieces).map((call) => call.trim())).toEqual([
    expect.stringMatching(/^f\((?:\{\})?\)$/),
    'g({"y":2})',
  ])
})

test('separates two calls of one tool by complete arguments', () => {
  expect(assembled([null, null, 'f', '{"x":1}'], [null, null, 'f', '{"x":2}'])).toEqual([
    ' f({"x":1})',
    ' f({"x":2})',
  ])
})

test('separates two calls with one id by index or name', () => {
  expect(assembled([0, 'a', 'f', '{}'], [1, 'a', 'f', '{"y":2}'])).toEqual(['a f({})', 'a f({"y":2})'])
  expect(assembled([0, 'a', 'f', '{}'], [0, 'a', 'g', '{"y":2}'])).toEqual(['a f({})', 'a g({"y":2})'])
})

test('reads each entry of a whole message as a call', () => {
  const drafts = new CallsBuilder(() => true)
  const entry = { id: 'a', index: 0, function: { name: 'f', arguments: '{}' } }
  drafts.addWhole([entry, entry, entry])
  expect(drafts.toCalls()).toHaveLength(3)
})

test('keeps unknown fields without changing a prototype', () => {
  const drafts = new CallsBuilder(() => true)
  drafts.add([JSON.parse('{"id":"a","__proto__":{"x":1},"extra_content":{"signature":"s"}}')])
  drafts.add([{ id: 'a', type: null, function: { name: 'f' } }])
  const [call] = drafts.toCalls()
  expect(JSON.stringify(call)).toBe(
    '{"__proto__":{"x":1},"extra_content":{"signature":"s"},"id":"a","type":"function","function":{"name":"f","arguments":""}}',
  )
  expect(Object.getPrototypeOf(call)).toBe(Object.prototype)
})

test.each([{}, { function: null }, { id: '', type: 'function', function: { name: '', arguments: '{}' } }])(
  'an entry without anything in it is no call (case %#)',
  (entry) => {
    const drafts = new CallsBuilder(() => true)
    drafts.add([entry])
    expect(drafts.toCalls()).toEqual([])
  },
)

test('keeps fields when a later value is null or empty', () => {
  const drafts = new CallsBuilder(() => true)
  drafts.add([{ id: 'a', extra: { s: 1 }, function: { name: 'f', arguments: '{', signature: 's' } }])
  drafts.add([{ id: 'a', extra: null, function: { arguments: '}', signature: '' } }])
  drafts.add([{ id: 'a', extra: {}, function: { signature: null } }])
  expect(drafts.toCalls()).toEqual([
    { id: 'a', type: 'function', extra: { s: 1 }, function: { name: 'f', arguments: '{}', signature: 's' } },
  ])
})

test('reads unlabelled pieces in linear time', () =>
  expectLinear(
    (pieces) => () => {
      const drafts = new CallsBuilder(() => true)
      const piece = (text: string) => drafts.add([{ function: { name: 'f', arguments: text } }])
      piece('{"a":"')
      for (let n = 0; n < pieces; n++) piece('x'.repeat(64))
      piece('"}')
      expect(drafts.toCalls()).toHaveLength(1)
    },
    2500,
  ))

const texts = fc.array(
  fc.dictionary(fc.string(), fc.jsonValue()).map((object) => JSON.stringify(object)),
  { minLength: 1, maxLength: 5 },
)

test('builds calls from fragments in any order', () => {
  const property = fc.property(texts, fc.boolean(), fc.infiniteStream(fc.nat()), (calls, byId, any) => {
    const next = () => any.next().value
    const label = (n: number) => (byId ? [0, `call_${n}`] : [n * 3 - 1, null]) as [number, string | null]
    const pieces: Piece[] = calls.map((_text, n) => [...label(n), 'f', ''])
    const rest = [...calls]
    while (rest.some((text) => text !== '')) {
      const n = next() % rest.length
      const text = rest[n] ?? ''
      const size = 1 + (next() % 7)
      pieces.push([...label(n), null, text.slice(0, size)])
      rest[n] = text.slice(size)
    }
    expect(assembled(...pieces)).toEqual(calls.map((text, n) => `${byId ? `call_${n}` : ''} f(${text})`))
  })
  fc.assert(property)
})
