import { ByteReader } from '../inputs/byte-streams.js'
import type { Held } from '../inputs/stored-bytes.js'
import { wavDuration } from './wav.js'

/** How long a recording sounds, in milliseconds, by its own account; undefined where it gives none. */
export async function durationOf(held: Held): Promise<number | undefined> {
  const known = await wavDuration(held)
  if (known !== undefined) return known
  const { parseWebStream } = await import('music-metadata')
  const told = await parseWebStream(
    inSteps(held),
    { size: held.blob.size },
    { duration: true, skipCovers: true },
  ).catch(() => undefined)
  const { duration = 0 } = told?.format ?? {}
  return duration > 0 && Number.isFinite(duration) ? Math.round(duration * 1000) : undefined
}

/** Bytes that look like the begin of a frame again and again would keep the reader busy for minutes. */
const mostMs = 5000
const stepBytes = 64 * 1024

/** The bytes, with a pause for everything else after each step, and an end when it takes too long. */
function inSteps(held: Held): ReadableStream<Uint8Array> {
  const end = Date.now() + mostMs
  const reader = new ByteReader(held.stream())
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve))
      const isLate = Date.now() > end
      const step = isLate ? new Uint8Array() : await reader.take(stepBytes)
      if (step.length > 0) return controller.enqueue(step)
      await reader.close()
      if (isLate) controller.error(new Error('It takes too long.'))
      else controller.close()
    },
    cancel: () => reader.close(),
  })
}
