import type { ArtifactKind } from '../words/artifact.js'

/** The media type that the first bytes tell; undefined when they tell none of ours. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  const found = signatures.find(([, at, magic]) => head.startsWith(magic, at))
  if (found) return found[0]
  // An MPEG audio frame has no name: eleven set bits, then a layer that is not zero.
  const [first = 0, second = 0] = bytes
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0 ? 'audio/mpeg' : undefined
}

const signatures: readonly (readonly [mediaType: string, at: number, magic: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/webm', 0, '\x1aE\xdf\xa3'],
  ['audio/mp4', 4, 'ftyp'],
  ['application/pdf', 0, '%PDF'],
]

/** Which kind of artifact a media type makes. */
export function kindOf(mediaType: string): ArtifactKind {
  if (mediaType.startsWith('image/')) return 'image'
  if (mediaType.startsWith('audio/')) return 'audio'
  return mediaType.startsWith('text/') || mediaType.startsWith('application/json') ? 'text' : 'file'
}
