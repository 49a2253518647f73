import { expect, test } from 'vitest'
import { encodePcm, encodeWav } from './wav.js'

const sound = { samples: Int16Array.of(0, 1, -1, 32_767, -32_768), sampleRate: 16_000 }

test('a WAV file has exact sizes, rate, channel and samples', () => {
  const wav = encodeWav(sound)
  const view = new DataView(wav.buffer)
  const word = (at: number) => String.fromCharCode(...wav.subarray(at, at + 4))
  expect([word(0), word(8), word(12), word(36)]).toEqual(['RIFF', 'WAVE', 'fmt ', 'data'])
  expect(view.getUint32(4, true)).toBe(wav.length - 8)
  expect(view.getUint32(16, true)).toBe(16)
  const [format, channels] = [view.getUint16(20, true), view.getUint16(22, true)]
  expect({ format, channels }).toEqual({ format: 1, channels: 1 })
  const [rate, bytesPerSecond] = [view.getUint32(24, true), view.getUint32(28, true)]
  expect({ rate, bytesPerSecond }).toEqual({ rate: 16_000, bytesPerSecond: 32_000 })
  const [frameSize, bits] = [view.getUint16(32, true), view.getUint16(34, true)]
  expect({ frameSize, bits }).toEqual({ frameSize: 2, bits: 16 })
  expect(view.getUint32(40, true)).toBe(10)
  expect(wav.subarray(44)).toEqual(encodePcm(sound))
})

test('PCM is the samples in little endian', () => {
  expect([...encodePcm(sound)]).toEqual([0, 0, 1, 0, 255, 255, 255, 127, 0, 128])
})

test('PCM of a subarray contains only that part', () => {
  expect([...encodePcm({ ...sound, samples: sound.samples.subarray(1, 3) })]).toEqual([1, 0, 255, 255])
})

test('zero samples give a valid WAV file', () => {
  expect(encodeWav({ samples: new Int16Array(), sampleRate: 8_000 })).toHaveLength(44)
})
