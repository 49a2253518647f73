/**
 * Returns a checksum function for a polynomial of up to 32 bits. It processes the highest bit first and starts from
 * zero.
 */
export function crcOf(width: number, polynomial: number): (bytes: Uint8Array) => number {
  // Keeps the sum in the highest bits, so that the same code works for all widths.
  const shift = 32 - width
  const remainders = Int32Array.from({ length: 256 }, (_, index) => {
    let remainder = index << 24
    for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? polynomial << shift : 0)
    return remainder
  })
  return (bytes) => {
    let sum = 0
    for (const byte of bytes) sum = (sum << 8) ^ (remainders[(sum >>> 24) ^ byte] ?? 0)
    return sum >>> shift
  }
}
