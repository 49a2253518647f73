import { sizeFault } from './picture-limit.js'

/** What the markers of a JPEG say of it, or what is wrong with it. */
export type JpegFacts = { readonly width: number; readonly height: number } | { readonly fault: string }

// Each scan of a progressive picture goes over all its pixels once more; usual ones have ten.
const mostScans = 100

/** Checks the outside of a JPEG before its pixels are decoded. */
export function checkJpeg(bytes: Uint8Array): JpegFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cutOff = { fault: 'it is cut off; send the whole file' }
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at] === 0xff ? (bytes[at + 1] ?? 0) : 0
    // Between segments there may be filling bytes; inside pixel data, anything that is no marker.
    if (marker === 0xff || (marker === 0 && scans > 0) || isBare(marker)) {
      at += marker === 0 || marker === 0xff ? 1 : 2
      continue
    }
    if (marker === 0) return { fault: 'its header is damaged' }
    if (marker === 0xd9) break
    if (isFrame(marker)) {
      if (at + 9 > bytes.length) return cutOff
      size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker === 0xda && ++scans > mostScans) return { fault: `it has more than ${mostScans} scans` }
    at += 2 + view.getUint16(at + 2)
  }
  if (!size || scans === 0 || !isEnded(bytes)) return cutOff
  if (size.width === 0 || size.height === 0) return { fault: 'its header is damaged' }
  const fault = sizeFault(size.width, size.height)
  return fault ? { fault } : size
}

/** Markers without a body: restarts, and the start. */
function isBare(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01
}

/** A start of frame, whose body has the size. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Whether the end marker is there; some cameras put a few bytes behind it. */
function isEnded(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf('\xff\xd9', -1, 'latin1') > 0
  )
}
