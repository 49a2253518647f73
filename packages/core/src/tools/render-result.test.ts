import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Artifact } from '../artifacts/artifact.js'
import { renderOutput, toReference } from './render-result.js'

const image: Artifact<'image'> = {
  id: 'img_abcd2345',
  kind: 'image',
  mediaType: 'image/png',
  size: 9,
  sha256: 'ff',
  width: 4,
  height: 3,
}
const sound: Artifact<'audio'> = {
  id: 'aud_abcd2345',
  kind: 'audio',
  mediaType: 'audio/wav',
  size: 9,
  sha256: 'ff',
  durationMs: 1500,
}

const given: ReadonlyMap<string, Artifact> = new Map([image, sound].map((one) => [one.id, one]))

test('renders a string unchanged, without quotes', () => {
  expect(renderOutput('7 °C')).toEqual({ content: '7 °C', result: '7 °C', artifacts: [] })
  expect(renderOutput('')).toEqual({ content: '', result: '', artifacts: [] })
})

test('replaces a lone surrogate in the text for the model', () => {
  expect(renderOutput('a\ud83d').content).toBe('a\ufffd')
  expect(renderOutput({ a: 'a\ud83d' }).content.isWellFormed()).toBe(true)
})

test.each([
  [{ a: 1, b: [true, null] }, '{"a":1,"b":[true,null]}'],
  [[], '[]'],
  [null, 'null'],
  [0, '0'],
  [false, 'false'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  [new URL('http://a.test/'), '"http://a.test/"'],
  [{ toJSON: () => ({ said: 'so' }) }, '{"said":"so"}'],
  [{ a: 1, gone: undefined, method: () => 1, [Symbol('s')]: 1, mark: Symbol('m') }, '{"a":1}'],
  [[1, undefined], '[1,null]'],
  [new Array(2), '[null,null]'],
  [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  [
    new (class {
      a = 1
    })(),
    '{"a":1}',
  ],
  [{}, '{}'],
  [-0, '0'],
  [{ n: new Number(1), s: new String('s'), b: new Boolean(false) }, '{"n":1,"s":"s","b":false}'],
  [
    {
      a: 1,
      toJSON() {
        return this
      },
    },
    '{"a":1}',
  ],
  [{ at: { toJSON: (key: string) => key } }, '{"at":"at"}'],
])('renders other values as JSON (case %#)', (value, content) => {
  expect(renderOutput(value)).toEqual({ content, result: JSON.parse(content), artifacts: [] })
})

test.each([undefined, { toJSON: () => undefined }])(
  'reports a missing value, without a result (case %#)',
  (value) => {
    expect(renderOutput(value)).toEqual({ content: 'Done. The tool returned no value.', artifacts: [] })
  },
)

const circle: Record<string, unknown> = { name: 'circle' }
circle.list = [{ self: circle }]
const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)
const hostile = {
  get a() {
    throw new Error('do not look')
  },
}
function* numbers() {
  yield 1
}

test.each([
  [5n, 'it is a BigInt; return a string or a number.'],
  [{ deep: [{ n: 5n }] }, '"deep.0.n" is a BigInt; return a string or a number.'],
  [Number.NaN, 'it is NaN; return null or text.'],
  [{ a: [1, Number.POSITIVE_INFINITY] }, '"a.1" is Infinity; return null'],
  [{ at: new Date(Number.NaN) }, '"at" is an invalid Date; return a valid one, or null.'],
  [() => 1, 'it is a function; return a value.'],
  [[() => 1], '"0" is a function; return a value.'],
  [Symbol('s'), 'it is a symbol; return a value.'],
  [new Map(), 'it is a Map; return an object or an array.'],
  [{ m: new Map([[1, 2]]) }, '"m" is a Map; return an object or an array.'],
  [Object.assign(new Map([[1, 2]]), { name: 'm' }), 'it is a Map; return'],
  [{ toJSON: () => new Map() }, 'it is a Map; return'],
  [[new Set()], '"0" is a Set; return an object or an array.'],
  [{ p: Promise.resolve(1) }, '"p" is a Promise; await it.'],
  [new Response('x'), 'it is a Response; return an object or an array.'],
  [/x/, 'it is a RegExp; return an object or an array.'],
  [[1].values(), 'it is an Array Iterator; return an object or an array.'],
  [{ g: numbers() }, '"g" is a Generator; return an object or an array.'],
  [new (class Empty {})(), 'it is an Empty; return an object or an array.'],
  [new Uint8Array(3), 'it holds bytes; return await ctx.artifacts.put(...).'],
  [{ data: Buffer.from('x') }, '"data" holds bytes; return await'],
  [{ data: new ArrayBuffer(3) }, '"data" holds bytes; return await'],
  [{ data: new DataView(new ArrayBuffer(3)) }, '"data" holds bytes; return await'],
  [{ data: new Blob(['x']) }, '"data" holds bytes; return await'],
  [circle, '"list.0.self" is circular; return a plain value.'],
  [
    JSON.parse(`${'['.repeat(12)}0${']'.repeat(12)}`, (_key, value) => value || 5n),
    '"0.0.0.0.0.0.0.0.0.0.0.0" is a BigInt; return',
  ],
  [deep, '"0.0.0.0.0.0.0.0.0.0.0.0..." is nested 1000 levels deep; return a flatter value.'],
  [{ list: [hostile] }, '"list.0.a" cannot be read (do not look); return a plain value.'],
  [{ at: { toJSON: () => hostile.a } }, '"at" cannot be read (do not look); return a plain value.'],
])('rejects a value that JSON would lose, with its place and advice (case %#)', (value, why) => {
  // The model gets the message, and cannot change the tool: what to do is evidence, for the developer.
  const [place, fix] = why.replace(/\.$/, '').split('; ')
  expect(() => renderOutput(value)).toThrow(
    expect.objectContaining({
      code: 'invalid_tool',
      message: `The tool ran, but its result is not JSON: ${place}.`,
      evidence: { fix: expect.stringContaining(fix ?? '') },
    }),
  )
})

test('accepts the same part twice', () => {
  const part = { a: [1] }
  expect(renderOutput([part, part, { part }]).content).toBe('[{"a":[1]},{"a":[1]},{"part":{"a":[1]}}]')
})

test('throws an error that a tool returns', () => {
  const error = new TypeError('no such city')
  expect(() => renderOutput(error)).toThrow(error)
})

test('renders any JSON value as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(typeof value !== 'string')
      const { content, result } = renderOutput(value)
      expect(content).toBe(JSON.stringify(value))
      expect(result).toEqual(JSON.parse(content))
    }),
  )
})

test('renders an error inside a result as its message', () => {
  const value = { errors: [new TypeError('no such city')], image }
  const content = '{"errors":[{"error":"no such city"}]'
  expect(renderOutput({ errors: value.errors }).content).toBe(`${content}}`)
  expect(renderOutput(value, given).content.startsWith(content)).toBe(true)
})

test('gives the model a reference and the caller the artifact', () => {
  expect(renderOutput(image, given)).toEqual({
    content: '{"artifact":"img_abcd2345","mediaType":"image/png","width":4,"height":3}',
    result: image,
    artifacts: [image],
  })
  expect(toReference(sound)).toMatchObject({ artifact: 'aud_abcd2345', durationMs: 1500 })
})

test('finds artifacts anywhere, each once, in order', () => {
  const value = { all: [sound, { image }, image], same: sound, lazy: { toJSON: () => image }, n: 1 }
  const { content, result, artifacts } = renderOutput(value, given)
  expect(artifacts).toEqual([sound, image])
  expect(result).toEqual({ all: [sound, { image }, image], same: sound, lazy: image, n: 1 })
  expect(content).not.toContain('sha256')
  expect(JSON.parse(content)).toEqual({
    all: [toReference(sound), { image: toReference(image) }, toReference(image)].map(asJson),
    same: asJson(toReference(sound)),
    lazy: asJson(toReference(image)),
    n: 1,
  })
})

test('leaves values that only look like artifacts unchanged', () => {
  for (const value of [
    { id: 'img_abcd2345' },
    { ...image, kind: 'audio' },
    { ...image, id: 'img_aaaaaaaa' },
  ]) {
    expect(renderOutput(value, given)).toEqual({
      content: JSON.stringify(value),
      result: value,
      artifacts: [],
    })
  }
})

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
