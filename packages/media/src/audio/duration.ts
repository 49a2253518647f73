import { ByteReader } from '../inputs/byte-streams.js'
import type { StoredBytes } from '../inputs/stored-bytes.js'
import { wavDuration } from './wav.js'

/** Returns the duration of a recording in milliseconds, from its own data, or undefined if unknown. */
export async function readDuration(stored: StoredBytes): Promise<number | undefined> {
  const known = await wavDuration(stored)
  if (known !== undefined) return known
  const { parseWebStream } = await import('music-metadata')
  const told = await parseWebStream(
    withPauses(stored),
    { size: stored.blob.size },
    { duration: true, skipCovers: true },
  ).catch(() => undefined)
  const { duration = 0 } = told?.format ?? {}
  return duration > 0 && Number.isFinite(duration) ? Math.round(duration * 1000) : undefined
}

/** Limits the parsing of hostile bytes, which could take minutes. */
const maxReadMs = 5000
const stepBytes = 64 * 1024

/** Streams the bytes with a pause after each step, and fails after `maxReadMs`. */
function withPauses(stored: StoredBytes): ReadableStream<Uint8Array> {
  const end = Date.now() + maxReadMs
  const reader = new ByteReader(stored.stream())
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve))
      const isLate = Date.now() > end
      const step = isLate ? new Uint8Array() : await reader.take(stepBytes)
      if (step.length > 0) return controller.enqueue(step)
      await reader.close()
      if (isLate) controller.error(new Error('Reading the duration takes too long.'))
      else controller.close()
    },
    cancel: () => reader.close(),
  })
}
