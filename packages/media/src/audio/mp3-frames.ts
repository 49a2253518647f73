/** The frames of an MP3 that sound: no tags before or after, no first frame that only counts the others. */
export interface Mp3Frames {
  readonly bytes: Uint8Array
  /** Version, layer and sample rate, as the header of a frame has them: frames of one stream have them in common. */
  readonly kind: number
}

/** Undefined for bytes that are no MP3. */
export function toMp3Frames(bytes: Uint8Array): Mp3Frames | undefined {
  const begin = endOfId3(bytes)
  const end = nameAt(bytes, bytes.length - 128, 3) === 'TAG' ? bytes.length - 128 : bytes.length
  const length = frameLength(bytes, begin)
  if (length === undefined) return undefined
  const [, second = 0, third = 0] = bytes.subarray(begin)
  const first = begin + (isCount(bytes.subarray(begin, begin + length)) ? length : 0)
  return { bytes: bytes.subarray(first, end), kind: ((second & 0x1e) << 2) | ((third & 0x0c) >> 2) }
}

function endOfId3(bytes: Uint8Array): number {
  if (nameAt(bytes, 0, 3) !== 'ID3') return 0
  const [flags = 0, ...size] = bytes.subarray(5, 10)
  const length = size.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return 10 + length + (flags & 0x10 ? 10 : 0)
}

/** A frame of silence in which encoders note how many frames follow. */
function isCount(frame: Uint8Array): boolean {
  const text = String.fromCharCode(...frame.subarray(0, 64))
  return /Xing|Info|VBRI/.test(text)
}

const kbits = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  later: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const rates = [44_100, 48_000, 32_000]

/** Of a frame of layer III. */
function frameLength(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 4)
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return undefined
  const version = (second >> 3) & 3
  const rate = (rates[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const kbit = kbits[version === 3 ? 'first' : 'later'][third >> 4] ?? 0
  if (rate === 0 || kbit === 0) return undefined
  return Math.floor(((version === 3 ? 144 : 72) * kbit * 1000) / rate) + ((third >> 1) & 1)
}

function nameAt(bytes: Uint8Array, at: number, length: number): string {
  return at < 0 ? '' : String.fromCharCode(...bytes.subarray(at, at + length))
}
