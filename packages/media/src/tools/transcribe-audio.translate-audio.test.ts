import { expect, test } from 'vitest'
import { bytesOf, filledStore } from '../../test/artifacts.js'
import { startMediaServer } from '../../test/media-server.js'
import { translateAudio } from './transcribe-audio.js'

test('sends the recording as a file of its format, and returns the English text', async () => {
  const { store, recording } = await filledStore()
  const server = await startMediaServer(() => ({ body: { text: 'Good morning.' } }))
  const options = { client: server.client, models: { translation: 'whisper-large' } }
  const result = await translateAudio(options).call({ file: recording.id }, { artifacts: store })
  expect(result).toEqual({ text: 'Good morning.' })
  expect(server.arrived[0]?.path).toBe('/v1/audio/translations')
  expect(server.arrived[0]?.fields).toEqual({ model: 'whisper-large' })
  expect(server.arrived[0]?.files).toEqual({
    file: { name: `${recording.id}.wav`, type: 'audio/wav', bytes: await bytesOf(store, recording) },
  })
})
