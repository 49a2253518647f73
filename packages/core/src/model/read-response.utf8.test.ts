import { expect, test } from 'vitest'
import { TextReader } from './read-response.js'

function read(...pieces: Uint8Array[]) {
  const reader = new TextReader()
  const text = pieces.map((piece) => reader.read(piece)).join('') + reader.end()
  return { text, isGarbled: reader.hasInvalidBytes }
}

test('decodes text cut at any byte, replacement characters included', () => {
  const bytes = new TextEncoder().encode('Tromsø 🌌 \ufffd')
  expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual({
    text: 'Tromsø 🌌 \ufffd',
    isGarbled: false,
  })
})

test.each([[[0x63, 0xe9]], [[0xe9, 0x63]], [[0xff]], [[0xf0, 0x9f]]])(
  'bytes that are no UTF-8 are noted: %j',
  (bytes) => {
    const { text, isGarbled } = read(Uint8Array.of(0x61), Uint8Array.from(bytes), Uint8Array.of())
    expect(isGarbled).toBe(true)
    expect(text).toContain('\ufffd')
  },
)

test('copies bytes, so that the sender may reuse their memory', () => {
  const [start, rest] = [Buffer.from([0x61, 0xc3]), Buffer.from([0xb8])]
  const reader = new TextReader()
  const begun = reader.read(start)
  start.fill(0)
  expect(begun + reader.read(rest)).toBe('aø')
})
