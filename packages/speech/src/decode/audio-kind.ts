/** The kinds of audio files that can be told by how they begin. */
export type AudioKind = keyof typeof signs

/** What kind of audio a file is, by its content; nothing when it is none we know. */
export function audioKind(bytes: Uint8Array): AudioKind | undefined {
  // A tag in front belongs to an mp3, or stands before something else by mistake.
  const body = bytes.subarray(tagSize(bytes))
  const text = String.fromCharCode(...body.subarray(0, 64))
  const found = Object.entries(signs).find(([, sign]) => sign(text, body))
  return found?.[0] as AudioKind | undefined
}

const signs = {
  wav: (text: string) => text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE',
  flac: (text: string) => text.startsWith('fLaC') || isOgg(text, '\x7fFLAC'),
  opus: (text: string) => isOgg(text, 'OpusHead'),
  vorbis: (text: string) => isOgg(text, '\x01vorbis'),
  ogg: (text: string) => text.startsWith('OggS'),
  webm: (text: string) => text.startsWith('\x1aE\xdf\xa3'),
  m4a: (text: string) => text.slice(4, 8) === 'ftyp',
  aac: (_: string, [first, second = 0]: Uint8Array) => first === 0xff && (second & 0xf6) === 0xf0,
  aiff: (text: string) => text.startsWith('FORM'),
  amr: (text: string) => text.startsWith('#!AMR'),
  wma: (text: string) => text.startsWith('0&\xb2u'),
  mp3: (_: string, body: Uint8Array) => isMpegFrame(body),
}

// The first packet of a stream stands at the same place in all of them.
function isOgg(text: string, packet: string): boolean {
  return text.startsWith('OggS') && text.startsWith(packet, 28)
}

/** The length of an ID3 tag at the start. */
export function tagSize(bytes: Uint8Array): number {
  if (String.fromCharCode(...bytes.subarray(0, 3)) !== 'ID3') return 0
  return 10 + bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0)
}

// Eleven bits of sync, a version, a layer, a bit rate and a sample rate that exist.
function isMpegFrame([first, second = 0, third = 0]: Uint8Array): boolean {
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3]
  const [bitRate, sampleRate] = [third >> 4, (third >> 2) & 3]
  return first === 0xff && second >= 0xe0 && version !== 1 && layer !== 0 && bitRate < 15 && sampleRate < 3
}
