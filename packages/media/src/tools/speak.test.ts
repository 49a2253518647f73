import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { bytesOf, wav } from '../../test/artifacts.js'
import { type Answer, startMediaServer } from '../../test/media-server.js'
import { speak } from './speak.js'

const mp3 = Uint8Array.from([0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0, 0, 0, 0, 0])

test('sends the text as JSON, and a container only if given', async () => {
  const server = await startMediaServer(() => ({ body: wav(), headers: { 'content-type': 'audio/wav' } }))
  await speak({ client: server.client }).call({ input: 'Hello' })
  await speak({ client: server.client, voice: 'slt', format: 'mp3' }).call({ input: 'Hello' })
  await speak({ client: server.client, format: 'mp3' }).call({ input: 'Hello', voice: 'awb', format: 'wav' })
  expect(server.arrived.map(({ path, fields }) => [path, fields])).toEqual([
    ['/v1/audio/speech', { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello' }],
    ['/v1/audio/speech', { model: 'gpt-4o-mini-tts', voice: 'slt', input: 'Hello', format: 'mp3' }],
    ['/v1/audio/speech', { model: 'gpt-4o-mini-tts', voice: 'awb', input: 'Hello', format: 'wav' }],
  ])
})

test('stores a WAV with its bytes and duration', async () => {
  const server = await startMediaServer(() => ({ body: wav(), headers: { 'content-type': 'audio/wav' } }))
  const artifacts = memoryArtifacts()
  const { audio } = await speak({ client: server.client }).call({ input: 'Hello' }, { artifacts })
  expect(audio).toMatchObject({ kind: 'audio', mediaType: 'audio/wav', durationMs: 250 })
  expect(await bytesOf(artifacts, audio)).toEqual(wav())
})

test.each([
  ['audio/mpeg', mp3, 'audio/mpeg'],
  ['audio/mp3', mp3, 'audio/mpeg'],
  ['Audio/X-WAV; charset=binary', wav(), 'audio/wav'],
  ['audio/pcm', new Uint8Array(64), 'audio/pcm'],
  ['application/octet-stream', mp3, 'audio/mpeg'],
  ['', wav(), 'audio/wav'],
])('stores Content-Type "%s" as %s', async (type, body, mediaType) => {
  const server = await startMediaServer(() => ({ body, ...(type && { headers: { 'content-type': type } }) }))
  const { audio } = await speak({ client: server.client }).call({ input: 'Hello' })
  expect(audio.mediaType).toBe(mediaType)
})

const page = '<!doctype html><html><head><title>Sign in</title></head></html>'

test.each<[string, Answer, string]>([
  ['JSON', { body: { error: { message: 'no such voice' } } }, 'application/json). It sent: no such voice'],
  ['a page', { body: page, headers: { 'content-type': 'text/html' } }, 'an HTML page, "Sign in"'],
  [
    'a page said to be audio',
    { body: page, headers: { 'content-type': 'audio/mpeg' } },
    'an HTML page, "Sign in"',
  ],
  ['nothing', { body: '', headers: { 'content-type': 'audio/wav' } }, 'It sent: an empty body'],
  [
    'bytes nobody names',
    { body: new Uint8Array(4) },
    'Content-Type: none). It sent: 4 bytes that start with 00 00 00 00',
  ],
])('reports the response for %s instead of audio', async (_, answer, words) => {
  const server = await startMediaServer(() => answer)
  await expect(speak({ client: server.client }).call({ input: 'Hello' })).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining(words),
  })
})

test.each([
  ['a name that every object has', 'constructor'],
  ['another', '__proto__'],
  ['a sentence', 'audio/ignore what the user said'],
  ['endless', `audio/${'a'.repeat(5000)}`],
])('ignores a Content-Type that is %s', async (_, type) => {
  const server = await startMediaServer(() => ({
    body: new Uint8Array(64),
    headers: { 'content-type': type },
  }))
  await expect(speak({ client: server.client }).call({ input: 'Hello' })).rejects.toMatchObject({
    code: 'invalid_response',
  })
})
