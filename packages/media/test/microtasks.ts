import type { StoredBytes } from '../src/inputs/stored-bytes.js'

/** Bytes in memory whose stream never waits for the event loop: reading happens in microtasks only. */
export function inBlocks(bytes: Uint8Array, blockBytes = 64 * 1024): StoredBytes {
  const stream = () => {
    let at = 0
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(at, at + blockBytes))
        at += blockBytes
      },
    })
  }
  return { blob: new Blob([bytes.slice()]), stream, [Symbol.asyncDispose]: async () => {} }
}

/** Counts the microtasks during some work: its number of steps, on a machine of any speed. */
export async function microtasksOf(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  let turns = 0
  // With a limit: otherwise, work that waits for the event loop would never continue.
  for (; !isOver && turns < 1_000_000; turns++) await undefined
  await working
  return turns
}
