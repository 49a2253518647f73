import { sniffMediaType } from '@capstan/core'

/** As many bytes as tell a type. */
export const headBytes = 4100

/** The media type that the first bytes of a file tell; undefined when they tell none. */
export async function contentType(head: Uint8Array): Promise<string | undefined> {
  const known = sniffMediaType(head)
  if (known) return known
  const { fileTypeFromBuffer } = await import('file-type')
  // The detectors read past the end of what is cut off.
  return (await fileTypeFromBuffer(head.subarray(0, headBytes)).catch(() => undefined))?.mime
}
