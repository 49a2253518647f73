import { readFile, writeFile } from 'node:fs/promises'
import { encodeWav, loadRecognizer, loadVoice } from '@capstan/speech'

/** Speaks with a voice in a folder and writes a WAV file. Returns its length in seconds. */
export async function speakWithVoice(folder: string, file: string): Promise<number> {
  // #region voice
  const voice = await loadVoice(folder)
  console.log(voice.speakers.length, 'speakers,', voice.sampleRate, 'samples per second')
  const sound = await voice.synthesize({ text: 'The harbour opens at six.', speed: 1.1 })
  await writeFile(file, encodeWav(sound))
  await voice.close()
  // #endregion
  return sound.samples.length / sound.sampleRate
}

/** Translates a French recording to English with a Whisper in a folder. */
export async function translateRecording(folder: string, recording: string): Promise<string> {
  // #region recognizer
  const recognizer = await loadRecognizer(folder)
  const { text, segments } = await recognizer.translate(await readFile(recording), { language: 'fr' })
  for (const { start, end, text } of segments) console.log(start, end, text)
  await recognizer.close()
  // #endregion
  return text
}
