/** The remainder of bytes by a polynomial of 8 or 16 bits, as FLAC checks its frames with. */
export function toCrc(bytes: Uint8Array, { width, polynomial }: Crc): number {
  const top = 1 << (width - 1)
  const mask = 2 ** width - 1
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & top ? polynomial : 0)) & mask
  }
  return crc
}

interface Crc {
  readonly width: 8 | 16
  readonly polynomial: number
}

export const crc8: Crc = { width: 8, polynomial: 0x07 }
export const crc16: Crc = { width: 16, polynomial: 0x8005 }
