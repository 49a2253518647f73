// A page of a picture book: drawn, read aloud, and subtitled from the recording. Ported from the AI SDK.
import '../local-service.js'
import { readFile } from 'node:fs/promises'
import { CapstanError } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { generateImage, speak, transcribeAudio } from '@capstan/media'

const artifacts = folderArtifacts('page')
const sentences = ['A red sailboat leaves the harbour.', 'The sun sets over the sea.']

// The pictures, small and as JPEG. A failure names its cause.
try {
  const { images } = await generateImage({
    prompt: 'a red sailboat on the sea at sunset',
    n: 2,
    size: '256x192',
    quality: 'low',
    outputFormat: 'jpeg',
    background: 'opaque',
    artifacts,
  })
  for (const [index, { id, mediaType, width, height }] of images.entries())
    console.log('picture', index, id, mediaType, `${width}x${height}`)
} catch (error) {
  if (!(error instanceof CapstanError)) throw error
  console.log('no picture:', error.code, error.message)
}

// The text, read slowly.
const { audio } = await speak({
  input: sentences.join(' '),
  voice: 'nova',
  speed: 0.9,
  format: 'wav',
  instructions: 'Read it to a child.',
  artifacts,
})
console.log('speech', audio.mediaType, (await audio.read()).length > 10_000)

// The times of the recording, as subtitles.
const { text, language, subtitles } = await transcribeAudio({
  file: audio,
  language: 'en',
  subtitles: 'srt',
  models: { transcription: 'whisper-1' },
  client: { maxRetries: 1 },
  artifacts,
})
console.log(language, text, (audio.durationMs ?? 0) > 2000)
console.log(await readFile(artifacts.pathOf(subtitles), 'utf8'))
