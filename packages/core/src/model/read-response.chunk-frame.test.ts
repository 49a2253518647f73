import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChunkFrame, readChunk } from '../features/reply-forms/stream-events.js'

const chunkOf = (delta: object, more: object = {}) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  })
const argumentsOf = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })

/** Reads chunks as the builder does. Returns the content, and how many chunks were read by the frame. */
function readAll(chunks: readonly string[]) {
  const frame = new ChunkFrame()
  let framed = 0
  const pieces = chunks.map((json) => {
    const known = frame.read(json)
    if (known) framed += 1
    const piece = known ?? readChunk(JSON.parse(json))
    if (piece && !known) frame.learn(json, piece)
    return piece
  })
  return { pieces, framed }
}

const plain = (chunks: readonly string[]) => chunks.map((json) => readChunk(JSON.parse(json)))

const texts = ['Hello', ' wörld', '"quoted"', '\\', '\n', '', '\u2028', '😀', '}]}', 'content', ' end']

test.each([
  ['text', (content: string) => chunkOf({ content })],
  ['arguments', (text: string) => chunkOf(argumentsOf(text))],
])('reads later chunks of %s without parsing what they repeat', (_name, toChunk) => {
  const chunks = texts.map(toChunk)
  expect(readAll(chunks)).toEqual({ pieces: plain(chunks), framed: texts.length - 1 })
})

test('reads a chunk with another field in its usual way', () => {
  const chunks = [
    chunkOf({ content: 'Oslo' }),
    chunkOf({ content: 'Oslo' }, { error: { message: 'overloaded' } }),
    chunkOf({ content: 'a', tool_calls: [] }),
    chunkOf({ content: 'a"},"index":1,"delta":{"content":"b' }),
    chunkOf({ content: 'a' }).replace('"a"', '"a","content":"b"'),
    chunkOf({ content: 'a' }).replace('"a"', 'null'),
    chunkOf({ content: 'a' }).replace('null', '"stop"'),
    chunkOf({ content: '' }).replace('""', '"'),
  ]
  const frame = new ChunkFrame()
  const [first = ''] = chunks
  frame.learn(first, { text: 'Oslo', reason: '' })
  expect(chunks.map((json) => frame.read(json)?.text)).toEqual([
    ...['Oslo', undefined, undefined, 'a"},"index":1,"delta":{"content":"b'],
    ...[undefined, undefined, undefined, undefined],
  ])
})

test('learns nothing from a text whose place is not sure', () => {
  const frame = new ChunkFrame()
  // The last place of the text is the value of another field.
  const json = chunkOf({ content: 'chatcmpl-2' }, { created: 1, model: 'chatcmpl-2' })
  frame.learn(json, { text: 'chatcmpl-2', reason: '' })
  const escaped = chunkOf({ content: 'é' }).replace('é', '\\u00e9')
  frame.learn(escaped, { text: 'é', reason: '' })
  expect([json, escaped].map((one) => frame.read(one))).toEqual([undefined, undefined])
})

test('gives up where each chunk has a field of its own, and goes on where a frame was used', () => {
  const padded = Array.from({ length: 9 }, (_, at) => chunkOf({ content: 'a' }, { obfuscation: `x${at}` }))
  const same = Array.from({ length: 9 }, () => chunkOf({ content: 'a' }))
  expect(readAll([...padded, ...same]).framed).toBe(0)
  const later = same.map((json) => json.replace('chatcmpl-1', 'chatcmpl-2'))
  expect(readAll([...same, ...later, ...same]).framed).toBe(24)
})

test('reads the same as without a frame, whatever the chunks contain', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...texts))
  const chunk = fc.oneof(
    text.map((content) => chunkOf({ content })),
    text.map((one) => chunkOf(argumentsOf(one))),
    fc.tuple(text, fc.constantFrom('a', 'b')).map(([content, model]) => chunkOf({ content }, { model })),
  )
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
      expect(readAll(chunks).pieces).toEqual(plain(chunks))
    }),
  )
})
