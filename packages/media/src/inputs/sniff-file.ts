import { fileTypeFromBuffer } from 'file-type'

/** Returns the media type that a file's first bytes show. Undefined if it is unknown. */
export async function sniffFile(head: Uint8Array): Promise<string | undefined> {
  // Detectors may read past the end of a file that was cut off.
  return (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
}
