import { expect, test } from 'vitest'
import type { Artifact } from '../words/artifact.js'
import { renderOutput, toReference } from './render-output.js'

const image: Artifact<'image'> = {
  id: 'img_abcd2345',
  kind: 'image',
  mediaType: 'image/png',
  bytes: 9,
  sha256: 'ff',
  width: 4,
  height: 3,
}
const sound: Artifact<'audio'> = {
  id: 'aud_abcd2345',
  kind: 'audio',
  mediaType: 'audio/wav',
  bytes: 9,
  sha256: 'ff',
  durationMs: 1500,
}

test('a string is written as it is, without quotes', () => {
  expect(renderOutput('7 °C')).toEqual({ content: '7 °C', result: '7 °C', artifacts: [] })
  expect(renderOutput('')).toEqual({ content: '', result: '', artifacts: [] })
})

test('the model reads no half of a surrogate pair', () => {
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
  [{ a: 1, gone: undefined, method: () => 1 }, '{"a":1}'],
])('anything else is written as JSON (case %#)', (value, content) => {
  expect(renderOutput(value)).toEqual({ content, result: JSON.parse(content), artifacts: [] })
})

test.each([undefined, () => 1, Symbol('s'), { toJSON: () => undefined }])(
  'nothing is told as nothing, and there is no result (case %#)',
  (value) => {
    expect(renderOutput(value)).toEqual({ content: 'Done. The tool returned no value.', artifacts: [] })
  },
)

const circle: Record<string, unknown> = { name: 'circle' }
circle.self = circle

test.each([
  [5n, 'it is a BigInt; return a string or a number.'],
  [{ deep: [{ n: 5n }] }, '"n" is a BigInt; return a string or a number.'],
  [new Map(), 'it is a Map; return an object or an array.'],
  [{ m: new Map([[1, 2]]) }, '"m" is a Map; return an object or an array.'],
  [[new Set()], '"0" is a Set; return an object or an array.'],
  [{ p: Promise.resolve(1) }, '"p" is a Promise; await it.'],
  [new Response('x'), 'it is a Response; return an object or an array.'],
  [new Uint8Array(3), 'it holds bytes; store them with ctx.artifacts.put(...) and return the artifact.'],
  [{ data: Buffer.from('x') }, '"data" holds bytes; store them'],
  [{ data: new ArrayBuffer(3) }, '"data" holds bytes; store them'],
  [{ data: new DataView(new ArrayBuffer(3)) }, '"data" holds bytes; store them'],
  [{ data: new Blob(['x']) }, '"data" holds bytes; store them'],
  [circle, 'Converting circular structure to JSON; return a plain value without references back to itself.'],
])('what JSON would lose is refused with its place and a way out (case %#)', (value, why) => {
  expect(() => renderOutput(value)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(() => renderOutput(value)).toThrow(`The tool ran, but its result cannot be written as JSON: ${why}`)
})

test('a value that cannot be looked at is refused like any other', () => {
  const hostile = {
    get a() {
      throw new Error('do not look')
    },
  }
  expect(() => renderOutput(hostile)).toThrow('cannot be written as JSON: do not look')
})

test('an error in the result is told by its message', () => {
  const value = { errors: [new TypeError('no such city')], image }
  const content = '{"errors":[{"error":"no such city"}]'
  expect(renderOutput({ errors: value.errors }).content).toBe(`${content}}`)
  expect(renderOutput(value).content.startsWith(content)).toBe(true)
})

test('the model sees a reference, the caller the artifact', () => {
  expect(renderOutput(image)).toEqual({
    content: '{"artifact":"img_abcd2345","mediaType":"image/png","width":4,"height":3}',
    result: image,
    artifacts: [image],
  })
  expect(toReference(sound)).toMatchObject({ artifact: 'aud_abcd2345', durationMs: 1500 })
})

test('artifacts are found wherever they are, each once, in order', () => {
  const value = { all: [sound, { image }, image], same: sound, lazy: { toJSON: () => image }, n: 1 }
  const { content, result, artifacts } = renderOutput(value)
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

test('what only looks like an artifact is left as it is', () => {
  for (const value of [{ id: 'img_abcd2345' }, { ...image, kind: 'audio' }]) {
    expect(renderOutput(value)).toEqual({ content: JSON.stringify(value), result: value, artifacts: [] })
  }
})

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
