import { crc32, deflateSync } from 'node:zlib'
import { pngSignature } from './png.js'

/** Returns a PNG chunk with its length and checksum. */
export function pngChunk(type: string, body: Uint8Array): Buffer {
  const chunk = Buffer.alloc(body.length + 12)
  chunk.writeUInt32BE(body.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(body, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), body.length + 8)
  return chunk
}

interface PngParts {
  readonly width: number
  readonly height: number
  /** Bits per sample. Default 8. */
  readonly depth?: number
  /** The colour type. Default 2: red, green and blue. */
  readonly colorType?: number
  readonly isInterlaced?: boolean
  /** Chunks between the header and the pixels. */
  readonly more?: readonly Uint8Array[]
  /**
   * The pixel rows, each preceded by its filter number. The rows are compressed. If `packed` is set, it is written
   * instead of them.
   */
  readonly rows?: Uint8Array
  readonly packed?: Uint8Array
}

/** Returns a PNG with these parts. The parts are not checked, so tests can create invalid files. */
export function writePng(parts: PngParts): Uint8Array {
  const { width, height, depth = 8, colorType = 2, isInterlaced = false, more = [] } = parts
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colorType, 0, 0, Number(isInterlaced)], 8)
  const packed = parts.packed ?? deflateSync(parts.rows ?? Buffer.alloc(0))
  const chunks = [
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', packed),
    pngChunk('IEND', Buffer.alloc(0)),
  ]
  return new Uint8Array(Buffer.concat([pngSignature, ...chunks]))
}
