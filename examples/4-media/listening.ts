// Speech to text on this machine: a sentence is spoken, sent as mp3, and transcribed.
import { startService } from '@capstan/service'
import { encode, phraseBook, synthesize, transcribe } from '@capstan/speech'
import OpenAI, { toFile } from 'openai'

async function main(): Promise<void> {
  const sound = await synthesize({ text: 'She plays the piano every evening after dinner.', voice: 'rms' })
  const mp3 = await encode(sound, 'mp3')

  // #region alone
  const { text, words, duration } = await transcribe({ audio: mp3 })
  console.log(text)
  console.log(words.length, 'words in', duration.toFixed(1), 'seconds; the first:', words[0])
  // #endregion

  const service = await startService()
  const client = new OpenAI(service)
  // #region http
  const subtitles = await client.audio.transcriptions.create({
    model: 'whisper-1',
    file: await toFile(mp3, 'piano.mp3'),
    response_format: 'srt',
  })
  console.log(subtitles)
  // #endregion

  await service.close()

  // #region phrases
  for (const [language, phrases] of Object.entries(phraseBook)) {
    console.log(language, phrases.length, 'phrases, such as', phrases[0])
  }
  // #endregion
}

main()
