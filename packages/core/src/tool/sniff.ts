import type { ArtifactKind } from '../words/artifact.js'

/** The media type that the first bytes tell; undefined when they tell none of ours. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  const found = signatures.find(([, magic]) => fits(head, magic))
  return found?.[0] ?? (isMpegFrame(bytes) ? 'audio/mpeg' : undefined)
}

/** `?` stands for any byte. The first that fits counts. */
const signatures: readonly (readonly [mediaType: string, magic: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8?a'],
  ['image/webp', 'RIFF????WEBP'],
  ['image/avif', '????ftypavif'],
  ['image/heic', '????ftyphei'],
  ['image/heic', '????ftypmif1'],
  ['audio/wav', 'RIFF????WAVE'],
  ['audio/mpeg', 'ID3'],
  ['audio/ogg', 'OggS'],
  ['audio/flac', 'fLaC'],
  ['audio/webm', '\x1aE\xdf\xa3'],
  ['audio/mp4', '????ftyp'],
  ['application/pdf', '%PDF'],
]

function fits(head: string, magic: string): boolean {
  return Array.from(magic).every((char, at) => char === '?' || char === head[at])
}

/** A frame has no name: eleven set bits, then layer III or II. Text in UTF-16 begins with ff fe, layer I. */
function isMpegFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && [0x02, 0x04].includes(second & 0x06)
}

/** Which kind of artifact a media type makes. */
export function artifactKindOf(mediaType: string): ArtifactKind {
  if (mediaType.startsWith('image/')) return 'image'
  if (mediaType.startsWith('audio/')) return 'audio'
  return mediaType.startsWith('text/') || mediaType.startsWith('application/json') ? 'text' : 'file'
}
