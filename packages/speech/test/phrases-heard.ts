// Counts the phrases of the book that are understood, and the other speech that is mistaken for one. No
// package of ours has a Spanish or Italian voice: this needs `espeak-ng`, as in Debian, and reports when it
// is missing.

import { execFileSync } from 'node:child_process'
import {
  decodeAudio,
  type PhraseLanguage,
  phraseBook,
  SpeechError,
  synthesize,
  translate,
} from '../src/index.js'
import { freshSentences } from './fresh-sentences.js'
import { readAloud } from './human-clips.js'

const voices: Readonly<Record<PhraseLanguage, readonly string[]>> = {
  es: ['es', 'es-419', 'es+f2', 'es-419+m3'],
  it: ['it', 'it+m3', 'it+f2'],
}

const others: Readonly<Record<PhraseLanguage, readonly string[]>> = {
  es: [
    'me gusta leer libros por la tarde',
    'el perro come en la cocina',
    'mañana voy a comprar zapatos nuevos',
    'la ciudad tiene un parque grande',
    'mi hermano trabaja en una oficina',
    'hay mucha gente en la playa',
    'el niño juega con la pelota',
    'vamos a ver una película',
    'la ventana está abierta',
    '¿qué quieres hacer hoy?',
  ],
  it: [
    'mi piace leggere libri la sera',
    'il cane mangia in cucina',
    'domani compro le scarpe nuove',
    'la città ha un grande parco',
    'mio fratello lavora in ufficio',
    "c'è molta gente in spiaggia",
    'il bambino gioca con la palla',
    'andiamo a vedere un film',
    'la finestra è aperta',
    'cosa vuoi fare oggi?',
  ],
}

function speak(voice: string, text: string): Uint8Array {
  return execFileSync('espeak-ng', ['-v', voice, '-s', '140', '--stdout', text])
}

/** The English translation, or the error code. */
async function ask(audio: Parameters<typeof translate>[0]['audio'], language?: string): Promise<string> {
  try {
    const translation = await translate({ audio, language })
    return `${translation.language}: ${translation.text}`
  } catch (error) {
    if (error instanceof SpeechError) return error.code
    throw error
  }
}

function print(
  what: string,
  results: readonly string[],
  isRight: (result: string, index: number) => boolean,
) {
  const refused = results.filter((result) => result === 'not_in_phrase_book').length
  const right = results.filter((result, index) => isRight(result, index)).length
  const wrong = results.length - right - (isRight('not_in_phrase_book', 0) ? 0 : refused)
  console.log(
    `${what.padEnd(44)} ${String(right).padStart(3)} of ${results.length} right, ${refused} refused, ${wrong} wrong`,
  )
}

function canSpeak(): boolean {
  try {
    execFileSync('espeak-ng', ['--version'])
    return true
  } catch {
    return false
  }
}

const english: string[] = []
for (const text of freshSentences.slice(0, 10)) english.push(await ask(await synthesize({ text })))
for (const { audio } of readAloud) english.push(await ask(await decodeAudio(audio)))
print('English, nothing said of the language', english, (result) => result.startsWith('en:'))

if (!canSpeak())
  console.log('No espeak-ng on this machine: phrases of people who speak es and it are not tried.')
else {
  for (const language of ['es', 'it'] as const) {
    for (const voice of voices[language]) {
      for (const told of [language, undefined]) {
        const heard: string[] = []
        for (const { text } of phraseBook[language]) heard.push(await ask(speak(voice, text), told))
        const right = (result: string, index: number) =>
          result === `${language}: ${phraseBook[language][index]?.english}`
        print(`phrases, voice ${voice}, language ${told ?? 'not told'}`, heard, right)
      }
    }
    for (const told of [language, undefined]) {
      const heard: string[] = []
      for (const text of others[language]) heard.push(await ask(speak(language, text), told))
      print(
        `other sentences, ${language}, ${told ? 'told' : 'not told'}`,
        heard,
        (result) => result === 'not_in_phrase_book',
      )
    }
  }
}
