// Text to speech: streamed from the package, and over HTTP from the local service.
import { mkdir, open } from 'node:fs/promises'
import { startService } from '@capstan/service'
import { audioFormats, encode, speakStream, synthesize } from '@capstan/speech'
import OpenAI from 'openai'

const text = 'The harbour opens at six. Please have your papers ready. Thank you.'

async function main(): Promise<void> {
  await mkdir('output', { recursive: true })

  // #region stream
  const file = await open('output/harbour.mp3', 'w')
  let parts = 0
  for await (const bytes of speakStream({ text, voice: 'rms', format: 'mp3' })) {
    await file.write(bytes)
    parts += 1
  }
  await file.close()
  // #endregion
  console.log('parts of the file:', parts)

  // #region encode
  const sound = await synthesize({ text })
  for (const format of Object.keys(audioFormats)) {
    console.log(format, (await encode(sound, format)).length, 'bytes')
  }
  // #endregion

  const service = await startService()
  // #region http
  const client = new OpenAI(service)
  const response = await client.audio.speech.create({
    model: 'gpt-4o-mini-tts',
    voice: 'onyx',
    input: text,
    response_format: 'mp3',
  })
  console.log(response.headers.get('content-type'), response.headers.get('x-capstan-engine'))
  // #endregion
  console.log('bytes over HTTP:', (await response.arrayBuffer()).byteLength)
  await service.close()
}

main()
