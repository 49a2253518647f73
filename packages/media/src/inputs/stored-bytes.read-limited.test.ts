import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBytes, readLimited } from './stored-bytes.js'

const never = new AbortController().signal
const large = Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * 7919) >> 5)

/** Files in the test's own temporary folder. */
async function ownFolder(): Promise<() => Promise<string[]>> {
  const before = process.env.TMPDIR
  const folder = await mkdtemp(join(tmpdir(), 'take-in-'))
  process.env.TMPDIR = folder
  onTestFinished(async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(folder, { recursive: true })
  })
  return () => readdir(folder)
}

test('keeps few bytes in memory, also none', async () => {
  const waiting = await ownFolder()
  const stored = await readLimited(10, new Blob(['hello']).stream(), never)
  expect(await stored?.blob.text()).toBe('hello')
  expect((await readLimited(10, null, never))?.blob.size).toBe(0)
  expect(await waiting()).toEqual([])
})

test('puts many bytes into a file, and removes it when disposed', async () => {
  const waiting = await ownFolder()
  {
    await using stored = await readLimited(large.length, new Blob([large]).stream(), never)
    if (!stored) throw new Error('nothing held')
    expect(Buffer.from(large).equals(await readBytes(stored))).toBe(true)
    expect(Buffer.from(large).equals(Buffer.from(await new Response(stored.stream()).arrayBuffer()))).toBe(
      true,
    )
    expect(await waiting()).toHaveLength(1)
  }
  expect(await waiting()).toEqual([])
})

test.each([10, large.length - 1])('rejects more than %s bytes, and leaves nothing', async (limit) => {
  const waiting = await ownFolder()
  expect(await readLimited(limit, new Blob([large]).stream(), never)).toBeUndefined()
  expect(await waiting()).toEqual([])
})

test('aborts an endless stream, and leaves nothing', async () => {
  const waiting = await ownFolder()
  const controller = new AbortController()
  let at = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      if (at++ < 3) stream.enqueue(large.slice(0, 1_000_000))
      else controller.abort(new Error('enough'))
    },
  })
  await expect(readLimited(1e9, endless, controller.signal)).rejects.toThrow('enough')
  expect(await waiting()).toEqual([])
})

test('throws after an abort while the file ends, and leaves nothing', async () => {
  const waiting = await ownFolder()
  const controller = new AbortController()
  const parts = [large]
  let ends = 0
  const read = async () => {
    const value = parts.shift()
    // The first end completes the last chunk; after the second, nothing is read and the file is closed.
    if (!value && ++ends === 2) process.nextTick(() => controller.abort(new Error('enough')))
    return { done: !value, value }
  }
  const getReader = (options?: object) => {
    if (options) throw new TypeError('It brings its own.')
    return { read, cancel: async () => {} }
  }
  const ending = { getReader } as unknown as ReadableStream<Uint8Array>
  await expect(readLimited(1e9, ending, controller.signal)).rejects.toThrow('enough')
  expect(await waiting()).toEqual([])
})
