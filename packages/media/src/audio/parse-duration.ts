import { parseWebStream } from 'music-metadata'

/** Returns the duration in milliseconds, by the parser of the format, or undefined if unknown. */
export async function parseDuration(
  stream: ReadableStream<Uint8Array>,
  size: number | undefined,
): Promise<number | undefined> {
  const told = await parseWebStream(stream, size === undefined ? {} : { size }, {
    duration: true,
    skipCovers: true,
  }).catch(() => undefined)
  const { duration = 0 } = told?.format ?? {}
  return duration > 0 && Number.isFinite(duration) ? Math.round(duration * 1000) : undefined
}
