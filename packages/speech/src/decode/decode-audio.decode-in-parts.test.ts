import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { expect, test } from 'vitest'
import { decodeInParts } from './decode-audio.js'

test('decodes highly compressed silence in parts that fit in memory', async () => {
  const head = Buffer.from('fLaC')
  const format = Buffer.from(
    '80000022100010000000000000000ac440f00000000000000000000000000000000000000000',
    'hex',
  )
  const frame = Buffer.from('fff8c908009500000021bd', 'hex')
  const file = Buffer.concat([head, format, ...Array.from({ length: 6000 }, () => frame)])
  const lengths: number[] = []
  for await (const { channels } of decodeInParts(new FLACDecoder(), file)) {
    lengths.push(channels[0]?.length ?? 0)
  }
  expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThan(5990 * 4096)
  expect(Math.max(...lengths)).toBeLessThan(2 ** 21)
})
