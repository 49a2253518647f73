import { damaged } from './damaged.js'
import type { Stretch } from './stretch.js'

/** Passes the sound of a FLAC file through, and throws an `invalid_audio` error when it ends before it should. */
export async function* withFlacLength(
  bytes: Uint8Array,
  stretches: AsyncIterable<Stretch>,
): AsyncGenerator<Stretch> {
  let missing = announcedLength(bytes)
  for await (const stretch of stretches) {
    missing -= stretch.channels[0]?.length ?? 0
    yield stretch
  }
  if (missing > 0) throw damaged(`${missing} samples of those it announces are missing or damaged.`)
}

// In the first block, behind four bytes of name and four of block header: 36 bits, of which a length needs 32 at most.
// It is 0 when whoever wrote it did not know; then, and inside Ogg, nothing is announced.
function announcedLength(bytes: Uint8Array): number {
  if (bytes.length < 42 || bytes[0] !== 'f'.charCodeAt(0)) return 0
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(22)
}
