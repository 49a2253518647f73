import { Agent, memoryArtifacts } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import { expect, test } from 'vitest'
import { bytesOf, filledStore } from '../../test/artifacts.js'
import { calling } from '../../test/calling.js'
import { type Answer, startMediaServer } from '../../test/media-server.js'
import { sampleRate, speechLike, storeWith } from '../../test/recordings.js'
import { transcribeAudio, translateAudio } from './transcribe-audio.js'

const verbose = {
  task: 'transcribe',
  duration: 3,
  text: 'Good evening. Welcome.',
  segments: [
    { id: 0, text: ' Good evening.', start: 0.25, end: 1.5, tokens: [1] },
    { id: 1, text: ' Welcome.', start: 1.75, end: 2.5, tokens: [2] },
  ],
  words: [
    { word: 'Good', start: 0.25, end: 0.5 },
    { word: 'evening', start: 0.5, end: 1.5 },
    { word: 'Welcome', start: 1.75, end: 2.5 },
  ],
}
const segments = [
  { text: 'Good evening.', start: 0.25, end: 1.5 },
  { text: 'Welcome.', start: 1.75, end: 2.5 },
]
const words = verbose.words.map(({ word, ...times }) => ({ text: word, ...times }))

async function serve(body: Answer['body'] = verbose) {
  const { store: artifacts, recording } = await filledStore()
  const server = await startMediaServer(() => ({ body }))
  return { ...server, artifacts, file: recording.id }
}

test('asks for segments, and returns them', async () => {
  const { client, arrived, artifacts, file } = await serve()
  const heard = await transcribeAudio({ client, artifacts, file, timestamps: 'segment' })
  expect(heard).toEqual({ text: verbose.text, segments })
  expect(arrived[0]?.fields).toEqual({
    model: 'whisper-1',
    response_format: 'verbose_json',
    'timestamp_granularities[]': 'segment',
  })
})

test('returns the language that a server names, also of a recording in chunks', async () => {
  const { client, artifacts, file } = await serve({ ...verbose, language: 'english' })
  const heard = await transcribeAudio({ client, artifacts, file, subtitles: 'srt' })
  expect(heard.language).toBe('english')
  const samples = speechLike(10)
  const long = encodeWav({ samples, sampleRate })
  const joined = await transcribeAudio({
    client,
    file: long,
    timestamps: 'segment',
    audio: { maxSeconds: 4 },
  })
  expect(joined.language).toBe('english')
  expect(await transcribeAudio({ client, artifacts, file })).toEqual({ text: verbose.text })
})

test('asks for words, and returns them', async () => {
  const { client, arrived, artifacts, file } = await serve()
  const request = { transcription: { timestamps: 'word' } } as const
  expect(await transcribeAudio({ client, artifacts, request }).call({ file })).toEqual({
    text: verbose.text,
    words,
  })
  expect(arrived[0]?.fields).toMatchObject({ 'timestamp_granularities[]': 'word' })
})

test('accepts words that a server lists in its segments, by either name', async () => {
  const inner = verbose.segments.map((one, i) => ({
    ...one,
    words: i === 0 ? words.slice(0, 2) : [{ word: ' Welcome', start: 1.75, end: 2.5 }],
  }))
  const { client, artifacts, file } = await serve({ text: verbose.text, segments: inner, words: null })
  const heard = await transcribeAudio({ client, artifacts, file, timestamps: 'word' })
  expect(heard.words).toEqual(words)
})

test.each([
  ['srt', 'application/x-subrip', '1\n00:00:00,250 --> 00:00:01,500\nGood evening.\n\n2\n'],
  ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.250 --> 00:00:01.500\nGood evening.\n\n'],
] as const)('stores %s subtitles as a text artifact', async (format, mediaType, begin) => {
  const { client, arrived, artifacts, file } = await serve()
  const heard = await transcribeAudio({ client, artifacts, file, subtitles: format })
  expect(heard).toEqual({ text: verbose.text, subtitles: expect.anything() })
  expect(heard.subtitles).toMatchObject({
    kind: 'text',
    mediaType,
    parents: [file],
    origin: { model: 'whisper-1' },
  })
  const text = new TextDecoder().decode(await bytesOf(artifacts, heard.subtitles))
  expect(text.startsWith(begin)).toBe(true)
  expect(arrived[0]?.fields).toMatchObject({ 'timestamp_granularities[]': 'segment' })
})

test('subtitles of a call without a store can be read', async () => {
  const { client, artifacts, file } = await serve()
  const recording = new Response(await artifacts.open(file)).blob()
  const { subtitles } = await transcribeAudio({ client, file: await recording, subtitles: 'vtt' })
  expect(new TextDecoder().decode(await subtitles.read())).toContain('Good evening.')
})

test('a translation has times of its segments, by the fields that it has', async () => {
  const { client, arrived, artifacts, file } = await serve()
  const heard = await translateAudio({ client, artifacts, file, timestamps: 'segment', subtitles: 'srt' })
  expect(heard.segments).toEqual(segments)
  expect(heard.subtitles.mediaType).toBe('application/x-subrip')
  expect(arrived[0]?.fields).toEqual({ model: 'whisper-1', response_format: 'verbose_json' })
})

test('silence has no times', async () => {
  const { client, artifacts, file } = await serve({ text: '' })
  expect(await transcribeAudio({ client, artifacts, file, timestamps: 'segment' })).toEqual({
    text: '',
    segments: [],
  })
})

test.each<[string, object]>([
  ['none', { text: 'Hello.' }],
  ['those of nothing', { text: 'Hello.', segments: null }],
  ['an empty list', { text: 'Hello.', segments: [] }],
  ['times that are no numbers', { text: 'Hello.', segments: [{ text: 'Hello.', start: '0', end: '1' }] }],
  ['times before the start', { text: 'Hello.', segments: [{ text: 'Hello.', start: -1, end: 1 }] }],
])('reports a server that sends %s in place of segments, with the text', async (_, body) => {
  const { client, artifacts, file } = await serve(body)
  await expect(transcribeAudio({ client, artifacts, file, timestamps: 'segment' })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('/audio/transcriptions responded without segments.'),
    evidence: { transcribed: 'Hello.' },
  })
})

test('joins the times of a long recording over its chunks, in its own time', async () => {
  const recording = encodeWav({ samples: speechLike(40), sampleRate })
  const { store: artifacts, artifact } = await storeWith(recording, 'audio/wav')
  const { client, arrived } = await startMediaServer(({ files }) => {
    const piece = Number(/-(\d+)\.wav$/.exec(files.file?.name ?? '')?.[1])
    const text = `This is piece ${piece}.`
    return { body: { text, segments: [{ text, start: 0.5, end: 2 }] } }
  })
  const audio = { maxSeconds: 12 }
  const heard = await transcribeAudio({
    client,
    artifacts,
    audio,
    file: artifact,
    timestamps: 'segment',
    subtitles: 'srt',
  })
  expect(heard.segments).toHaveLength(4)
  let at = 0
  for (const [i, { files }] of arrived.toSorted((a, b) => nameOf(a) - nameOf(b)).entries()) {
    expect(heard.segments[i]).toEqual({
      text: `This is piece ${i + 1}.`,
      start: expect.closeTo(at + 0.5, 2),
      end: expect.closeTo(at + 2, 2),
    })
    at += ((files.file?.bytes.length ?? 0) - 44) / 2 / sampleRate
  }
  expect(at).toBeCloseTo(40, 3)
  expect(heard.text).toBe('This is piece 1. This is piece 2. This is piece 3. This is piece 4.')
  const subtitles = new TextDecoder().decode(await bytesOf(artifacts, heard.subtitles))
  expect(subtitles.match(/ --> /g)).toHaveLength(4)
  const [first] = arrived
  expect(first?.fields).toMatchObject({ response_format: 'verbose_json' })
})

function nameOf({ files }: { files: Readonly<Record<string, { name: string }>> }): number {
  return Number(/-(\d+)\.wav$/.exec(files.file?.name ?? '')?.[1])
}

test('a model that may choose subtitles gets their reference, and the file is untrusted like the text', async () => {
  const { client, artifacts, file } = await serve()
  const tools = [transcribeAudio({ client, parameters: { transcription: ['subtitles', 'language'] } })]
  const model = calling({ name: 'transcribe_audio', arguments: { file, subtitles: 'vtt', language: 'en' } })
  const result = await new Agent({ model, tools, artifacts }).run('Make subtitles.')
  const [subtitles] = result.artifacts
  expect(subtitles).toMatchObject({
    kind: 'text',
    mediaType: 'text/vtt',
    origin: { tool: 'transcribe_audio', taintedBy: 'transcribe_audio' },
  })
  expect(result.toolCalls[0]?.content).toBe(
    JSON.stringify({
      text: verbose.text,
      subtitles: { artifact: subtitles?.id, mediaType: 'text/vtt' },
    }),
  )
})

test('without times nothing more is sent or returned', async () => {
  const { client, arrived } = await startMediaServer(() => ({ body: verbose }))
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(encodeWav({ samples: speechLike(1), sampleRate }), {
    kind: 'audio',
    mediaType: 'audio/wav',
  })
  expect(await transcribeAudio({ client, artifacts }).call({ file: id })).toEqual({ text: verbose.text })
  expect(arrived[0]?.fields).toEqual({ model: 'whisper-1' })
})
