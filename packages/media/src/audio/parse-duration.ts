import { parseWebStream } from 'music-metadata'

/** Returns the duration in milliseconds, as the format's parser reads it. Undefined if it finds none. */
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
