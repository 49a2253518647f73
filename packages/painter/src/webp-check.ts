import { sizeFault } from './picture-limit.js'

/** What the header of a WebP says of it, or what is wrong with it. */
export type WebpFacts = { readonly width: number; readonly height: number } | { readonly fault: string }

/** Checks the outside of a WebP before its pixels are decoded. */
export function checkWebp(bytes: Uint8Array): WebpFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 30 || view.getUint32(4, true) + 8 > bytes.length) {
    return { fault: 'it is cut off; send the whole file' }
  }
  const size = toSize(view, Buffer.from(bytes.subarray(12, 16)).toString('latin1'))
  if (!size) return { fault: 'its header is damaged' }
  if (size.animated) return { fault: 'it is animated; send one picture' }
  const fault = sizeFault(size.width, size.height)
  return fault ? { fault } : size
}

interface Size {
  readonly width: number
  readonly height: number
  readonly animated?: boolean
}

function toSize(view: DataView, chunk: string): Size | undefined {
  if (chunk === 'VP8X') {
    return {
      width: int24(view, 24) + 1,
      height: int24(view, 27) + 1,
      animated: (view.getUint8(20) & 2) !== 0,
    }
  }
  if (chunk === 'VP8L' && view.getUint8(20) === 0x2f) {
    const packed = view.getUint32(21, true)
    return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 }
  }
  if (chunk === 'VP8 ' && int24(view, 23) === 0x2a019d) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  return undefined
}

function int24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}
