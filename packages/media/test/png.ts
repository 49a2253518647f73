import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'fast-png'

/** A real PNG of one colour. */
export function png(
  width: number,
  height: number,
  rgb: readonly [number, number, number] = [200, 30, 30],
): Uint8Array {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()])
  const packed = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return pngOf({ width, height, packed })
}

/** A PNG with the given packed pixels, which may contradict its header. */
export function pngOf({
  width,
  height,
  packed,
}: {
  width: number
  height: number
  packed: Uint8Array
}): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat(parts))
}

/** A fully transparent PNG: a mask of the whole image. */
export function clearPng(width: number, height: number): Uint8Array {
  return encode({ width, height, depth: 8, channels: 4, data: new Uint8Array(width * height * 4) })
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
