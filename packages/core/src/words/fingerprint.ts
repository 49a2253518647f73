/** A short text to notice change by (FNV-1a, 32 bits from each end); nothing secret rests on it. */
export function fingerprint(text: string): string {
  let forward = 0x811c9dc5
  let backward = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    forward = Math.imul(forward ^ text.charCodeAt(i), 0x01000193)
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - i), 0x01000193)
  }
  return toHex(forward) + toHex(backward)
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function toHex(half: number): string {
  return `${bytes[half >>> 24]}${bytes[(half >>> 16) & 255]}${bytes[(half >>> 8) & 255]}${bytes[half & 255]}`
}
