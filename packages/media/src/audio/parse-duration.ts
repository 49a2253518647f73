import { parseWebStream } from 'music-metadata'

/** Parses the format, and returns the duration in milliseconds. Undefined if the parser finds none. */
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
