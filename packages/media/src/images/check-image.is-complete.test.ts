import sharp from 'sharp'
import { expect, test } from 'vitest'
import { inBlocks, microtasksOf } from '../../test/microtasks.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import { isComplete, readImageInfo } from './check-image.js'

const jpeg = async () =>
  new Uint8Array(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } })
      .jpeg()
      .toBuffer(),
  )

/** A JPEG with bytes inserted after its start marker. */
async function withInserted(bytes: Uint8Array): Promise<Uint8Array> {
  const whole = await jpeg()
  return Uint8Array.from([...whole.subarray(0, 2), ...bytes, ...whole.subarray(2)])
}

test.each([0, 1, 2, 3, 1000, 65_000])('accepts a JPEG with %s fill bytes before a marker', async (fill) => {
  const filled = await withInserted(new Uint8Array(fill).fill(0xff))
  expect(await isComplete(fromBytes(filled), 'image/jpeg')).toBe(true)
  expect(await isComplete(fromBytes(filled.subarray(0, -2)), 'image/jpeg')).toBe(false)
})

test.each([1, 2, 3, 4, 5])('detects a JPEG that is cut %s bytes after its start', async (length) => {
  expect(await isComplete(fromBytes((await jpeg()).subarray(0, 2 + length)), 'image/jpeg')).toBe(false)
  const fill = new Uint8Array(2 + length).fill(0xff)
  expect(await isComplete(fromBytes(fill), 'image/jpeg')).toBe(false)
})

test('finds the end of a JPEG across two blocks', async () => {
  const whole = await jpeg()
  for (const block of [1, 2, 3, whole.length - 1])
    expect(await isComplete(inBlocks(whole, block), 'image/jpeg')).toBe(true)
})

test('takes as many steps as blocks for fill bytes of a JPEG', async () => {
  const fill = new Uint8Array(4 * 2 ** 20).fill(0xff)
  fill[1] = 0xd8
  const steps = await microtasksOf(async () => {
    expect(await isComplete(inBlocks(fill), 'image/jpeg')).toBe(false)
  })
  expect(steps).toBeLessThan(10_000)
})

test('stops after many empty segments of a JPEG', async () => {
  const stored = inBlocks(emptySegments())
  let read = 0
  const stream = () =>
    stored.stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(block, controller) {
          read += block.length
          controller.enqueue(block)
        },
      }),
    )
  expect(await isComplete({ ...stored, stream }, 'image/jpeg')).toBe(false)
  expect(read).toBeLessThan(2 ** 20)
})

test('does not search a JPEG of empty segments for its size', async () => {
  const { blob, ...stored } = fromBytes(emptySegments())
  let reads = 0
  const counted = Object.assign(blob, {
    arrayBuffer: () => {
      reads += 1
      return Blob.prototype.arrayBuffer.call(blob)
    },
  })
  expect(await readImageInfo({ ...stored, blob: counted }, '')).toEqual({ mediaType: 'image/jpeg' })
  expect(reads).toBe(0)
})

/** A JPEG of 4 MB that never reaches its pixels. */
function emptySegments(): Uint8Array {
  const bytes = Buffer.alloc(4 * 2 ** 20, Uint8Array.of(0, 2, 0xff, 0xe0))
  bytes.set([0xff, 0xd8])
  return new Uint8Array(bytes.buffer)
}
