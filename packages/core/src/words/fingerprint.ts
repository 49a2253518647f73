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

function toHex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0')
}
