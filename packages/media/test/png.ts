import { writePng } from '@capstan/formats/write-png'
import { encode } from 'fast-png'

/** A real PNG of one colour. */
export function png(
  width: number,
  height: number,
  rgb: readonly [number, number, number] = [200, 30, 30],
): Uint8Array {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()])
  return writePng({ width, height, rows: Buffer.alloc(row.length * height, row) })
}

/** A fully transparent PNG: a mask of the whole image. */
export function clearPng(width: number, height: number): Uint8Array {
  return encode({ width, height, depth: 8, channels: 4, data: new Uint8Array(width * height * 4) })
}
