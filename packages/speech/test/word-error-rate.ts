// Measures word errors: people who read and call out cards, and sentences that the voices speak, in each
// format. Prints a table. Exits with 1 above the maximum in docs/reference/listening.md.

import { defaultVoice, encode, synthesize, transcribe, voices } from '../src/index.js'
import { figureSentences } from './figure-sentences.js'
import { freshSentences } from './fresh-sentences.js'
import { type Clip, commands, readAloud } from './human-clips.js'
import { errorRate, type WordErrors, wordErrors } from './word-errors.js'

const formats = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['wav', 'mp3', 'ogg']
let failed = false

async function hear(clips: readonly Clip[]): Promise<WordErrors[]> {
  const heard: WordErrors[] = []
  for (const { said, audio } of clips) heard.push(wordErrors(said, (await transcribe({ audio })).text))
  return heard
}

function print(what: string, heard: readonly WordErrors[], most: number): void {
  const rate = errorRate(heard)
  if (rate > most) failed = true
  const words = heard.reduce((sum, one) => sum + one.words, 0)
  console.log(`${what.padEnd(24)} ${rate.toFixed(1).padStart(5)} %  of ${words} words, at most ${most} %`)
}

print('people reading', await hear(readAloud), 26.8)
print('people calling out', await hear(commands), 13.3)
for (const format of formats) {
  const figures: Clip[] = []
  for (const [text, said] of figureSentences)
    figures.push({ said, audio: await encode(await synthesize({ text }), format) })
  print(`figures, ${format}`, await hear(figures), 10)
  const all: WordErrors[] = []
  for (const { name: voice, sampleRate } of voices) {
    // The recogniser was not made for telephone quality.
    if (sampleRate < 16_000) continue
    const clips: Clip[] = []
    for (const said of freshSentences)
      clips.push({ said, audio: await encode(await synthesize({ text: said, voice }), format) })
    const heard = await hear(clips)
    // The limit applies to the default voice; the others are only printed.
    print(`${voice}, ${format}`, heard, voice === defaultVoice ? 10 : 20)
    all.push(...heard)
  }
  print(`all voices, ${format}`, all, 20)
}
process.exitCode = failed ? 1 : 0
