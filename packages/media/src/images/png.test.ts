import { expect, test } from 'vitest'
import { png } from '../../test/png.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import { isComplete } from './check-image.js'
import { readPng } from './png.js'

test('rejects a PNG with a second header, since the decoder uses the last one', async () => {
  const [first, second] = [png(60, 50), png(6, 5)]
  // Signature and header are the first 33 bytes, the header alone 25 of them.
  const both = Buffer.concat([first.subarray(0, 33), second.subarray(8)])
  expect(await readPng(both, { width: 60, height: 50 })).toBeUndefined()
  expect(await readPng(second, { width: 6, height: 5 })).toMatchObject({ width: 6, height: 5 })
})

test('rejects a PNG with too many chunks', async () => {
  const picture = png(6, 5)
  const empty = Buffer.from([0, 0, 0, 0, ...Buffer.from('teXt'), 0, 0, 0, 0])
  const stuffed = (count: number) =>
    fromBytes(Buffer.concat([picture.subarray(0, 33), Buffer.alloc(12 * count, empty), picture.subarray(33)]))
  expect(await isComplete(stuffed(99_000), 'image/png')).toBe(true)
  expect(await isComplete(stuffed(100_000), 'image/png')).toBe(false)
})
