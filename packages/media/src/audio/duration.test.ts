import { encode } from '@capstan/speech'
import { expect, test } from 'vitest'
import { sampleRate, speechLike } from '../../test/recordings.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import { readDuration } from './duration.js'

test('reads the duration of a packed recording', async () => {
  const mp3 = await encode({ samples: speechLike(20), sampleRate }, 'mp3')
  expect(Math.round(((await readDuration(fromBytes(mp3))) ?? 0) / 1000)).toBe(20)
})

test('does not block on bytes that look like frame starts', async () => {
  await readDuration(fromBytes(new Uint8Array(10)))
  let turns = 0
  const count = setInterval(() => turns++)
  expect(await readDuration(fromBytes(new Uint8Array(100_000).fill(255)))).toBeUndefined()
  clearInterval(count)
  expect(turns).toBeGreaterThan(1)
})
