import { Agent, type AnyTool, type ArtifactStore, type ChatModel, memoryArtifacts } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import { expect, test } from 'vitest'
import { speak, transcribeAudio } from '../src/index.js'
import { wav } from './artifacts.js'
import { type Answer, startMediaServer } from './media-server.js'
import { png } from './png.js'

const text = (words: string) => new TextEncoder().encode(words)
const zip = Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 0, 0, ...new Uint8Array(60)])
const noise = Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 251)
const riff = (size: number) => Uint8Array.from([...wav().subarray(0, 40), size & 255, size >> 8, 0, 0])

/** A model that makes one call, reads its result, and ends. */
function calling(name: string, args: object): ChatModel {
  const call = { id: 'c1', type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }
  return {
    name: 'm',
    async complete({ messages }) {
      if (messages.at(-1)?.role === 'tool')
        return { message: { role: 'assistant', content: 'I could not.' }, finishReason: 'stop' }
      return { message: { role: 'assistant', content: '', tool_calls: [call] }, finishReason: 'tool_calls' }
    },
  }
}

interface Telling {
  readonly model: ChatModel
  readonly tools: readonly AnyTool[]
  readonly artifacts: ArtifactStore
}

/** Returns the result that the model reads. The run must have reached its end. */
async function told(options: Telling): Promise<string> {
  const { stopReason, text, toolCalls, messages } = await new Agent(options).run('Go.')
  expect({ stopReason, text, status: toolCalls.map(({ status }) => status) }).toEqual({
    stopReason: 'done',
    text: 'I could not.',
    status: ['error'],
  })
  return String(messages.find(({ role }) => role === 'tool')?.content)
}

const say = (): Answer => ({ body: { text: 'Hello.' } })

test.each<[string, Uint8Array, string, string]>([
  ['nothing', new Uint8Array(), 'audio/wav', 'its type is audio/wav, but it is empty'],
  ['a text as MP3', text('This is a letter.'), 'audio/mpeg', 'its type is audio/mpeg, but it contains text'],
  ['a page as WAV', text('<!doctype html><title>Sign in</title>'), 'audio/wav', 'is not a recording'],
  ['a zip as WAV', zip, 'audio/wav', 'its type is audio/wav, but it contains application/zip'],
  ['a picture as audio', png(4, 4), 'audio/ogg', 'its type is audio/ogg, but it contains image/png'],
  ['a WAV cut within its header', wav().subarray(0, 30), 'audio/wav', 'contains no audio'],
  ['a WAV whose sound is cut off', riff(8000), 'audio/wav', 'contains no audio'],
  [
    'a WAV of no length',
    encodeWav({ samples: new Int16Array(), sampleRate: 16_000 }),
    'audio/wav',
    'contains no audio',
  ],
  [
    'a WAV with blocks of no bytes',
    wav().map((byte, at) => (at === 32 ? 0 : byte)),
    'audio/wav',
    'contains no audio',
  ],
  ['more than the limit of what cannot be split', noise, 'audio/basic', 'Only wav, mp3, ogg'],
  [
    'more than the limit of an MP3 without frames',
    Uint8Array.from([...text('ID3'), 4, 0, 0, 0, 0, 0, 0, ...noise]),
    'audio/mpeg',
    'contains no audio',
  ],
])('%s: reports the error, sends nothing, continues the run', async (_, bytes, mediaType, words) => {
  const server = await startMediaServer(say)
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(bytes, { kind: 'audio', mediaType })
  const tools = [transcribeAudio({ client: server.client, audio: { maxBytes: 50_000 } })]
  expect(await told({ model: calling('transcribe_audio', { file: id }), tools, artifacts })).toContain(words)
  expect(server.arrived).toEqual([])
})

test('accepts a WAV whose header declares too much, with its real length', async () => {
  const server = await startMediaServer(say)
  const lying = Buffer.from(wav())
  lying.writeUInt32LE(4_000_000_000, 40)
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(lying, { kind: 'audio', mediaType: 'audio/wav' })
  const model = calling('transcribe_audio', { file: id })
  const agent = new Agent({ model, tools: [transcribeAudio({ client: server.client })], artifacts })
  expect((await agent.run('Go.')).usage.audioSeconds).toBe(0.25)
})

test.each<[string, (id: string) => string, string]>([
  ['the id of a picture', (id) => id, 'is image, not audio'],
  ['an id that is not there', () => 'aud_aaaaaaaa', 'No artifact "aud_aaaaaaaa"'],
  ['a path', () => 'file:/etc/passwd', 'does not accept the URL'],
  ['an address', () => 'http://127.0.0.1/a.wav', 'does not accept the URL'],
])('%s: reports the error, sends nothing, continues the run', async (_, toFile, words) => {
  const server = await startMediaServer(say)
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(png(4, 4), { kind: 'image', mediaType: 'image/png' })
  const model = calling('transcribe_audio', { file: toFile(id) })
  const tools = [transcribeAudio({ client: server.client })]
  expect(await told({ model, tools, artifacts })).toContain(words)
  expect(server.arrived).toEqual([])
})

const page = '<!doctype html><html><head><title>Sign in</title></head></html>'
const error = (status: number, message: string): Answer => ({ status, body: { error: { message } } })

test.each<[string, Answer, string]>([
  ['413', error(413, 'Too large.'), 'responded 413: Too large.'],
  ['415', error(415, 'No such type.'), 'responded 415: No such type.'],
  [
    'a page',
    { body: page, headers: { 'content-type': 'text/html' } },
    'without text. It sent: an HTML page, "Sign in"',
  ],
  ['JSON without text', { body: { task: 'transcribe' } }, 'without text. It sent: {"task":"transcribe"}'],
  ['JSON whose text is no text', { body: { text: 7 } }, 'without text'],
  ['half a JSON', { body: '{"text":"Hel' }, 'without text'],
  ['nothing', { body: '' }, 'without text. It sent: an empty body'],
])('transcription with the response %s: reports the error, continues the run', async (_, answer, words) => {
  const server = await startMediaServer(() => answer)
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(wav(), { kind: 'audio', mediaType: 'audio/wav' })
  const model = calling('transcribe_audio', { file: id })
  expect(await told({ model, tools: [transcribeAudio({ client: server.client })], artifacts })).toContain(
    words,
  )
})

test.each<[string, Answer, string]>([
  ['a page', { body: page, headers: { 'content-type': 'text/html' } }, 'text/html). It sent: an HTML page'],
  ['a page said to be MP3', { body: page, headers: { 'content-type': 'audio/mpeg' } }, 'an HTML page'],
  [
    'a picture said to be WAV',
    { body: png(4, 4), headers: { 'content-type': 'audio/wav' } },
    'sent no audio (Content-Type: audio/wav)',
  ],
  ['a zip said to be nothing', { body: zip }, 'sent no audio (Content-Type: none)'],
  ['nothing', { body: '', headers: { 'content-type': 'audio/wav' } }, 'It sent: an empty body'],
  ['JSON', { body: { text: 'Hello.' } }, 'sent no audio (Content-Type: application/json)'],
])('speech with the response %s: reports the error, stores nothing', async (_, answer, words) => {
  const server = await startMediaServer(() => answer)
  const artifacts = memoryArtifacts()
  const model = calling('speak', { input: 'Hello.' })
  expect(await told({ model, tools: [speak({ client: server.client })], artifacts })).toContain(words)
  expect(await artifacts.list()).toEqual([])
})

test('corrects a wrong Content-Type by the content', async () => {
  const server = await startMediaServer(() => ({ body: wav(), headers: { 'content-type': 'audio/mpeg' } }))
  const { audio } = await speak({ client: server.client }).call({ input: 'Hello.' })
  expect(audio).toMatchObject({ mediaType: 'audio/wav', durationMs: 250 })
})

test("ends an endless response by the client's timeout", async () => {
  const server = await startMediaServer(() => undefined)
  const asked = speak({ client: { ...server.client, timeout: 100 } }).call({ input: 'Hello.' })
  await expect(asked).rejects.toMatchObject({ code: 'timeout', retryable: true })
})
