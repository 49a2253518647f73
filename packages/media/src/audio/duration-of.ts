import { wavDuration } from './wav-format.js'

/** How long a recording sounds, in milliseconds, by its own account; undefined where it gives none. */
export async function durationOf(bytes: Uint8Array): Promise<number | undefined> {
  const known = await wavDuration(bytes)
  if (known !== undefined) return known
  const { parseBuffer } = await import('music-metadata')
  const told = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true }).catch(
    () => undefined,
  )
  const { duration = 0 } = told?.format ?? {}
  return duration > 0 && Number.isFinite(duration) ? Math.round(duration * 1000) : undefined
}
