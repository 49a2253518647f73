import { encodeWav } from '@capstan/speech'
import { expect, test } from 'vitest'
import { fromBytes } from '../inputs/stored-bytes.js'
import { wavDuration } from './wav.js'

const second = encodeWav({ samples: new Int16Array(16_000), sampleRate: 16_000 })

test('reads one second as 1000 ms', async () => {
  expect(await wavDuration(fromBytes(second))).toBe(1000)
})

test('skips chunks before the audio', async () => {
  const list = Uint8Array.from([...Buffer.from('LIST'), 3, 0, 0, 0, 1, 2, 3, 0])
  expect(
    await wavDuration(
      fromBytes(Uint8Array.from([...second.subarray(0, 36), ...list, ...second.subarray(36)])),
    ),
  ).toBe(1000)
})

test.each([0, 0xffffffff])(
  'uses the available bytes if a streamed header declares the length %s',
  async (length) => {
    const streamed = Buffer.from(second)
    streamed.writeUInt32LE(length, 40)
    expect(await wavDuration(fromBytes(streamed))).toBe(1000)
  },
)

test('reads the given part of a larger buffer', async () => {
  const larger = Uint8Array.from([9, 9, 9, ...second, 9])
  expect(await wavDuration(fromBytes(larger.subarray(3, 3 + second.length)))).toBe(1000)
})

test.each([
  ['no WAV', Buffer.from('ID3 and more bytes')],
  ['nothing', new Uint8Array()],
  ['a cut header', second.subarray(0, 30)],
])('returns no duration for %s', async (_, bytes) => {
  expect(await wavDuration(fromBytes(bytes))).toBeUndefined()
})

test.each([1, 2 ** 32 - 1])('rejects a WAV header with %s samples per second', async (rate) => {
  const lying = Buffer.from(second)
  lying.writeUInt32LE(rate, 24)
  expect(await wavDuration(fromBytes(lying))).toBeUndefined()
})

test('stops after many empty chunks before the audio', async () => {
  const empty = Buffer.alloc(2 ** 20, 'JUNK\0\0\0\0', 'latin1')
  const padded = Buffer.concat([second.subarray(0, 12), empty, second.subarray(12)])
  expect(await wavDuration(fromBytes(padded))).toBeUndefined()
})
