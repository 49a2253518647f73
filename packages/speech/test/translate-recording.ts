import { readFile } from 'node:fs/promises'
import { loadWhisper } from '@capstan/speech'

/** Translates a French recording to English with a model file. */
export async function translateRecording(model: string, recording: string): Promise<string> {
  // #region load
  const whisper = await loadWhisper(model)
  const { text, segments } = await whisper.translate(await readFile(recording), { language: 'fr' })
  for (const { start, end, text } of segments) console.log(start, end, text)
  await whisper.close()
  // #endregion
  return text
}
