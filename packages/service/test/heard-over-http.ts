// Text to speech to text over HTTP with the official client: word errors for each format. Arguments: voices.
// Default: the default voice.

import { defaultVoice } from '@capstan/speech'
import OpenAI, { toFile } from 'openai'
import { freshSentences } from '../../speech/test/fresh-sentences.js'
import { errorRate, type WordErrors, wordErrors } from '../../speech/test/word-errors.js'
import { startService } from '../src/start-service.js'

const voices = process.argv.slice(2).length > 0 ? process.argv.slice(2) : [defaultVoice]
const most = 10

async function main(): Promise<void> {
  const service = await startService()
  const client = new OpenAI(service)
  const hear = async (input: string, voice: string, format: string): Promise<WordErrors> => {
    // The types of the client do not know `ogg`.
    const asked = { model: 'gpt-4o-mini-tts', voice, input, response_format: format as 'mp3' }
    const file = await toFile((await client.audio.speech.create(asked)).arrayBuffer(), `speech.${format}`)
    return wordErrors(input, (await client.audio.transcriptions.create({ model: 'whisper-1', file })).text)
  }
  for (const format of ['wav', 'mp3', 'ogg']) {
    const heard: WordErrors[] = []
    for (const voice of voices)
      for (const input of freshSentences) heard.push(await hear(input, voice, format))
    const rate = errorRate(heard)
    console.log(
      `${format} ${rate.toFixed(1)} % of words wrong, at most ${most} %, voices ${voices.join(', ')}`,
    )
    if (rate > most) process.exitCode = 1
  }
  await service.close()
}

main()
