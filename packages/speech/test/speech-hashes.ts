import { createHash } from 'node:crypto'
import { audioFormats, encode, synthesize, voices } from '@capstan/speech'

const text = 'On Jan. 5, Dr. Smith paid $1,250.50 for 3 red sailboats.'

/** The SHA-256 of one sentence by every voice, as samples, and by the default voice in every format. */
export async function speechHashes(): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { name } of voices) {
    hashes[name] = toHash(await encode(await synthesize({ text, voice: name, speed: 1.25 }), 'pcm'))
  }
  const sound = await synthesize({ text, voice: 'slt' })
  for (const format of Object.keys(audioFormats)) hashes[format] = toHash(await encode(sound, format))
  return hashes
}

function toHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
