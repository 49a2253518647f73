/** How long a WAV sounds, in milliseconds; undefined for bytes that are no WAV. */
export function wavDuration(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (name(0) !== 'RIFF' || name(8) !== 'WAVE') return undefined
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const [start, length] = [at + 8, view.getUint32(at + 4, true)]
    if (name(at) === 'fmt ' && start + 16 <= bytes.byteLength)
      bytesPerSecond = view.getUint32(start + 8, true)
    if (name(at) === 'data') {
      // A stream's header gives a length that is not known yet: 0, or the greatest there is.
      const there = bytes.byteLength - start
      const sound = length === 0 ? there : Math.min(length, there)
      return bytesPerSecond > 0 ? Math.round((sound / bytesPerSecond) * 1000) : undefined
    }
    at = start + length + (length % 2)
  }
  return undefined
}
