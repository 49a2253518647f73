import { readFileSync } from 'node:fs'
import { packageFile } from '../src/listen/patch-recognizer.js'
import { encodeWav } from '../src/wav.js'

/** Human speech with its text: clips that ship with the recogniser. */
export interface Clip {
  readonly said: string
  readonly audio: Uint8Array
}

const folder = 'pocketsphinx/test/data'

/** Five sentences of "Sense and Sensibility", read aloud. */
export const readAloud = toClips('librivox', 'transcription')

/** Cards called out, and two commands. */
export const commands = [
  ...toClips('cards', 'cards.transcription'),
  { said: 'go forward ten meters', audio: fromSamples('goforward.raw') },
  { said: 'go somewhere and do something', audio: fromSamples('something.raw') },
]

function fromSamples(file: string): Uint8Array {
  const bytes = readFileSync(packageFile(`${folder}/${file}`))
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(2 * index))
  return encodeWav({ samples, sampleRate: 16_000 })
}

function toClips(name: string, transcription: string): Clip[] {
  const lines = readFileSync(packageFile(`${folder}/${name}/${transcription}`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const [, said = '', file = ''] = /<s>\s*(.*?)\s*<\/s>\s*\((.*)\)/.exec(line) ?? []
    return { said, audio: readFileSync(packageFile(`${folder}/${name}/${file}.wav`)) }
  })
}
