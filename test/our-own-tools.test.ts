import { readArtifact } from '@capstan/core'
import { mediaTools } from '@capstan/media'
import { checkTools } from '@capstan/testing'
import { expect, test } from 'vitest'
import { calculate, getWeather } from '../examples/1-start/illustrator/tools.js'

// What we tell others of their tools holds of ours.
test.each([
  ['the media tools', mediaTools()],
  [
    'the media tools with all that can be said of them',
    mediaTools({
      sizes: { 'gpt-image-1': ['1024x1024', '1536x1024'], 'dall-e-2': ['256x256'] },
      allow: { hosts: ['cdn.example.com'] },
      speech: { voices: ['alloy', 'nova'], formats: ['mp3', 'wav'] },
      parameters: {
        image: ['quality', 'background', 'outputFormat', 'outputCompression', 'style'],
        edit: ['quality', 'background', 'outputFormat', 'outputCompression', 'inputFidelity'],
        speech: ['speed', 'instructions'],
        transcription: ['language', 'prompt', 'temperature', 'timestamps', 'subtitles'],
        translation: ['prompt', 'temperature', 'timestamps', 'subtitles'],
      },
    }),
  ],
  ['the tool that pages through texts', [readArtifact]],
  ['the tools of the examples', [getWeather, calculate]],
])('there is nothing to say of %s', (_which, tools) => {
  expect(checkTools(tools).findings).toEqual([])
})
