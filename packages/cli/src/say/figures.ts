/** A number of things in words: `1 call`, `2 calls`. */
export function count(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** A whole number with its thousands apart, alike in all countries. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** A time as one reads it: `12 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** A size as one reads it: `812 bytes`, `12 kB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte')
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
