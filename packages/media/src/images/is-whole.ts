import { pngChunks } from './png-chunks.js'

/** Whether a PNG, JPEG or WebP reaches its own end; true for what cannot be told. */
export function isWhole(bytes: Uint8Array, mediaType: string): boolean {
  return ends[mediaType]?.(bytes) ?? true
}

const ends: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  'image/png': (bytes) => pngChunks(bytes).at(-1)?.name === 'IEND',
  'image/jpeg': jpegEnds,
  'image/webp': (bytes) => bytes.length >= 12 && bytes.length >= viewOf(bytes).getUint32(4, true) + 8,
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** The end counts only after the pixels have begun: a small preview in the header has an end of its own. */
function jpegEnds(bytes: Uint8Array): boolean {
  const view = viewOf(bytes)
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = view.getUint16(at)
    if (marker === 0xffff) at += 1
    else if (marker === 0xffda) return hasMarker(bytes, 0xd9, at + 4)
    // Some writers leave something between the parts; readers put up with it.
    else if (marker < 0xff00) return true
    else at += 2 + view.getUint16(at + 2)
  }
  return false
}

function hasMarker(bytes: Uint8Array, marker: number, from: number): boolean {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === marker) return true
  }
  return false
}
