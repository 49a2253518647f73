import { wavDuration } from './wav-format.js'

/** How long a recording sounds, in milliseconds, by its own account; undefined where it gives none. */
export async function durationOf(bytes: Uint8Array): Promise<number | undefined> {
  const known = await wavDuration(bytes)
  if (known !== undefined) return known
  const { parseWebStream } = await import('music-metadata')
  const told = await parseWebStream(
    inSteps(bytes),
    { size: bytes.length },
    { duration: true, skipCovers: true },
  ).catch(() => undefined)
  const { duration = 0 } = told?.format ?? {}
  return duration > 0 && Number.isFinite(duration) ? Math.round(duration * 1000) : undefined
}

/** Bytes that look like the begin of a frame again and again would keep the reader busy for minutes. */
const mostMs = 5000
const stepBytes = 64 * 1024

/** The bytes, with a pause for everything else after each step, and an end when it takes too long. */
function inSteps(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const end = Date.now() + mostMs
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve))
      if (Date.now() > end) return controller.error(new Error('It takes too long.'))
      controller.enqueue(bytes.slice(at, at + stepBytes))
      at += stepBytes
      if (at >= bytes.length) controller.close()
    },
  })
}
