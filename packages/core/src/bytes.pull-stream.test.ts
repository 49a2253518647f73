import { expect, test } from 'vitest'
import { type PullSource, pullStream } from './bytes.js'

/** Gives these bytes, at most three at a time, and counts how often it was closed. */
function fillerOf(bytes: Uint8Array): PullSource & { closed: number } {
  let at = 0
  const filler = {
    closed: 0,
    async read(into: Uint8Array) {
      const part = bytes.subarray(at, at + Math.min(3, into.length))
      into.set(part)
      at += part.length
      return part.length
    },
    async close() {
      filler.closed += 1
    },
  }
  return filler
}

const bytes = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])

test('streams all bytes in order and closes the source once', async () => {
  const filler = fillerOf(bytes)
  const read = await new Response(pullStream(filler)).arrayBuffer()
  expect(new Uint8Array(read)).toEqual(bytes)
  expect(filler.closed).toBe(1)
})

test('reads into the buffer of the reader', async () => {
  const reader = pullStream(fillerOf(bytes)).getReader({ mode: 'byob' })
  const brought = new Uint8Array(new ArrayBuffer(10), 4, 2)
  const { value } = await reader.read(brought)
  expect([value?.byteOffset, ...(value ?? [])]).toEqual([4, 1, 2])
  expect(value?.buffer.byteLength).toBe(10)
  expect(brought.buffer.byteLength).toBe(0)
  await reader.cancel()
})

test('closes the source on cancel', async () => {
  const filler = fillerOf(bytes)
  const reader = pullStream(filler).getReader()
  await reader.read()
  expect(filler.closed).toBe(0)
  await reader.cancel()
  expect(filler.closed).toBe(1)
})

test('reports the read error even if closing fails', async () => {
  let closed = 0
  const stream = pullStream({
    read: () => Promise.reject(new Error('torn')),
    close() {
      closed += 1
      return Promise.reject(new Error('stuck'))
    },
  })
  await expect(stream.getReader().read()).rejects.toThrow('torn')
  expect(closed).toBe(1)
})
