import { memoryArtifacts } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import { expect, test } from 'vitest'
import { bytesOf } from '../../test/artifacts.js'
import { type Arrived, startMediaServer } from '../../test/media-server.js'
import { speak } from './speak.js'

const text = 'The first sentence is here. The second one follows. And this is the third.'
const speech = { maxCharacters: 30 }

/** A hundred equal samples for every character. */
function spoken({ fields }: Arrived) {
  const { length } = String(fields.input)
  const body = encodeWav({ samples: new Int16Array(100 * length).fill(length), sampleRate: 16_000 })
  return { body, headers: { 'content-type': 'audio/wav' } }
}

test('speaks a text above the limit sentence by sentence, as one recording', async () => {
  const server = await startMediaServer(spoken)
  const artifacts = memoryArtifacts()
  const { audio } = await speak({ client: server.client, speech }).call({ input: text }, { artifacts })
  expect(server.arrived.map(({ fields }) => fields.input)).toEqual([
    'The first sentence is here.',
    'The second one follows.',
    'And this is the third.',
  ])
  expect(audio).toMatchObject({ mediaType: 'audio/wav', durationMs: Math.round((7200 / 16_000) * 1000) })
  expect((await bytesOf(artifacts, audio)).length).toBe(44 + 2 * 7200)
  const keys = server.arrived.map(({ headers }) => headers['idempotency-key']?.replace(/^.*\//, ''))
  expect(keys).toEqual(['piece1', 'piece2', 'piece3'])
})

test.each([
  [`${' '.repeat(40)}Hi.\n`, 'Hi.'],
  [' Hi. ', ' Hi. '],
])('sends a text that is one part without the spaces that make it too long: %j', async (input, sent) => {
  const server = await startMediaServer(spoken)
  await speak({ client: server.client, speech }).call({ input })
  expect(server.arrived.map(({ fields }) => fields.input)).toEqual([sent])
})

test('rejects a format that cannot be joined before sending', async () => {
  const server = await startMediaServer(spoken)
  const asked = speak({ client: server.client, speech }).call({ input: text, format: 'ogg' })
  await expect(asked).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('wav, mp3, pcm'),
  })
  expect(server.arrived).toEqual([])
})

test('rejects a container known only from the response after two parts', async () => {
  const ogg = Uint8Array.from([...Buffer.from('OggS'), ...new Uint8Array(60)])
  const server = await startMediaServer(() => ({ body: ogg, headers: { 'content-type': 'audio/ogg' } }))
  await expect(speak({ client: server.client, speech }).call({ input: text })).rejects.toMatchObject({
    code: 'unsupported',
  })
  expect(server.arrived).toHaveLength(2)
})

test.each([
  [{ voice: 'nobody' }, 'Unknown voice "nobody". Choose one of: slt, awb.'],
  [{ format: 'aiff' }, 'Unknown format "aiff". Choose one of: wav.'],
])('rejects %j, which the options do not list, and gives the list', async (named, message) => {
  const options = {
    client: { baseURL: 'http://127.0.0.1:1/v1', apiKey: '' },
    speech: { voices: ['slt', 'awb'], formats: ['wav'] },
  }
  await expect(speak(options).call({ input: 'Hello', ...named })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message,
  })
})

test('uses the first voice of the options by default', async () => {
  const server = await startMediaServer(spoken)
  await speak({ client: server.client, speech: { voices: ['slt', 'awb'] } }).call({ input: 'Hello' })
  expect(server.arrived[0]?.fields).toMatchObject({ voice: 'slt' })
})
