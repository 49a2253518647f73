// A recording in a container that mediabunny splits: it is sent in chunks.
import assert from 'node:assert/strict'
import { memoryArtifacts } from '@capstan/core'
import { speak, transcribeAudio } from '@capstan/media'

const artifacts = memoryArtifacts()
const input = 'The weather is fine today. We will go to the market. The train was late again.'
const { audio } = await speak({ format: 'ogg' }).call({ input }, { artifacts })
const { text } = await transcribeAudio({ audio: { maxSeconds: 4 } }).call({ file: audio.id }, { artifacts })
assert.match(text, /weather.*market.*train/is)
