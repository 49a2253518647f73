import { Agent, type ChatModel, memoryArtifacts, type RunEvent } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import { expect, test } from 'vitest'
import { type Answer, type Arrived, startMediaServer } from '../../test/media-server.js'
import { recordingIn, sampleRate, speechLike, storeWith } from '../../test/recordings.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import { transcribeAudio, translateAudio } from '../tools/transcribe-audio.js'
import { wavDuration } from './wav.js'

const recording = encodeWav({ samples: speechLike(40), sampleRate })
const short = { maxSeconds: 12 }

/** Number of the chunk in the file name. */
function pieceOf({ files }: Arrived): number {
  return Number(/-(\d+)\.\w+$/.exec(files.file?.name ?? '')?.[1])
}

async function startListener(answer: (piece: number) => Answer | undefined = say) {
  return startMediaServer((request) => answer(pieceOf(request)))
}

const say = (piece: number) => ({ body: { text: `This is piece ${piece}.` } })

test.each([
  ['transcribe', transcribeAudio, '/v1/audio/transcriptions'],
  ['translate', translateAudio, '/v1/audio/translations'],
])('%s: sends a long recording in chunks within the limits and joins the texts', async (_, make, path) => {
  const { store, artifact } = await storeWith(recording, 'audio/wav')
  const server = await startListener()
  const result = await make({ client: server.client, audio: short }).call(
    { file: artifact.id },
    { artifacts: store },
  )
  expect(result).toEqual({ text: 'This is piece 1. This is piece 2. This is piece 3. This is piece 4.' })
  expect(server.arrived.map((one) => one.path)).toEqual([path, path, path, path])
  let seconds = 0
  for (const { files, fields } of server.arrived) {
    const ms = (await wavDuration(fromBytes(files.file?.bytes ?? new Uint8Array()))) ?? 0
    expect(ms).toBeLessThanOrEqual(12_000)
    seconds += ms / 1000
    expect(fields).toEqual({ model: 'whisper-1' })
    expect(files.file?.type).toBe('audio/wav')
  }
  expect(seconds).toBeCloseTo(40, 5)
})

test('respects inFlight, and accepts replies in any order', async () => {
  const { store, artifact } = await storeWith(recording, 'audio/wav')
  let [now, most, made] = [0, 0, 0]
  const [three, last] = [gate(), gate()]
  const server = await startListener(say)
  const client = {
    ...server.client,
    fetch: async (...[input, init]: Parameters<typeof fetch>) => {
      const request = ++made
      most = Math.max(most, ++now)
      if (now === 3) three.resolve()
      // All but the first wait for each other, and the second waits for the last reply.
      if (request > 1) await three.promise
      if (request === 2) await last.promise
      const response = await fetch(input, init).finally(() => now--)
      if (request === 4) last.resolve()
      return response
    },
  }
  const { text } = await transcribeAudio({ client, audio: { ...short, inFlight: 3 } }).call(
    { file: artifact.id },
    { artifacts: store },
  )
  expect(text).toBe('This is piece 1. This is piece 2. This is piece 3. This is piece 4.')
  expect(most).toBe(3)
})

function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

function calling(file: string): ChatModel {
  let turn = 0
  return {
    name: 'm',
    async complete() {
      if (turn++ > 0) return { message: { role: 'assistant', content: 'Done.' }, finishReason: 'stop' }
      const named = { name: 'transcribe_audio', arguments: JSON.stringify({ file }) }
      const call = { id: 'c1', type: 'function' as const, function: named }
      return { message: { role: 'assistant', content: '', tool_calls: [call] }, finishReason: 'tool_calls' }
    },
  }
}

async function runOver(bytes: Uint8Array, limits = {}) {
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(bytes, { kind: 'audio', mediaType: 'audio/wav' })
  const server = await startListener()
  const tools = [transcribeAudio({ client: server.client, audio: short })]
  const events: RunEvent[] = []
  const result = await new Agent({ model: calling(id), tools, artifacts, limits }).run('Listen.', {
    runId: 'r1',
    observe: (event) => events.push(event),
  })
  return { result, events, server }
}

test('reports progress per chunk, with its own key, and spends the seconds once', async () => {
  const { result, events, server } = await runOver(recording)
  expect(result.usage.audioSeconds).toBe(40)
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.value] : []))
  expect(progress).toHaveLength(4)
  expect(progress).toContainEqual({ piece: 1, of: 4, seconds: expect.any(Number) })
  expect(new Set(progress.map((value) => (value as { piece: number }).piece)).size).toBe(4)
  const keys = server.arrived.map(({ headers }) => headers['idempotency-key']).sort()
  expect(keys).toEqual(
    [1, 2, 3, 4].map((n) => expect.stringMatching(new RegExp(`^r1/step0/call0/piece${n}$`))),
  )
})

test('rejects the whole recording by a limit on seconds, before sending any of it', async () => {
  const { result, server } = await runOver(recording, { audioSeconds: 30 })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'audioSeconds' })
  expect(server.arrived).toEqual([])
})

test('fails with the place of the failed chunk and the text before it', async () => {
  const { store, artifact } = await storeWith(recording, 'audio/wav')
  const server = await startListener((piece) =>
    piece === 3 ? { status: 400, body: { error: { message: 'Too much noise.' } } } : say(piece),
  )
  const asked = transcribeAudio({ client: server.client, audio: { ...short, inFlight: 1 } }).call(
    { file: artifact.id },
    { artifacts: store },
  )
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_request',
    status: 400,
    message: expect.stringMatching(/^Chunk 3 of 4 \(00:\d\d to 00:\d\d\) failed: .*Too much noise\./),
    evidence: { piece: 3, of: 4, transcribed: 'This is piece 1. This is piece 2.' },
  })
  expect(server.arrived).toHaveLength(3)
})

test('names the limit to set on 413', async () => {
  const { store, artifact } = await storeWith(recording, 'audio/wav')
  const server = await startListener(() => ({ status: 413, body: { error: { message: 'Too large.' } } }))
  const asked = transcribeAudio({ client: server.client, audio: { ...short, inFlight: 1 } }).call(
    { file: artifact.id },
    { artifacts: store },
  )
  await expect(asked).rejects.toMatchObject({
    status: 413,
    message: expect.stringMatching(/Too large\.$/),
    // For the developer: the model cannot set it.
    evidence: { fix: expect.stringMatching(/^Set audio: \{ maxBytes \} below \d+\.$/) },
  })
})

test('aborts all chunks and sends no more', async () => {
  const { store, artifact } = await storeWith(recording, 'audio/wav')
  const controller = new AbortController()
  let arrived = 0
  const server = await startListener(() => {
    if (++arrived === 2) controller.abort(new Error('enough'))
    return undefined
  })
  const asked = transcribeAudio({ client: server.client, audio: short }).call(
    { file: artifact.id },
    { artifacts: store, signal: controller.signal },
  )
  await expect(asked).rejects.toThrow('enough')
  expect(server.arrived).toHaveLength(2)
})

test('sends packed recordings in chunks, and joins overlaps without repetition', async () => {
  const { store, artifact } = await storeWith(await recordingIn('mp3'), 'audio/mpeg')
  const spoken = ['one two three four', 'three four five six', 'five six seven eight', 'seven eight nine']
  const server = await startListener((piece) => ({ body: { text: spoken[piece - 1] ?? '' } }))
  const { text } = await transcribeAudio({ client: server.client, audio: short }).call(
    { file: artifact.id },
    { artifacts: store },
  )
  expect(text).toBe('one two three four five six seven eight nine')
  expect(server.arrived.every(({ files }) => files.file?.type === 'audio/mpeg')).toBe(true)
})

test('rejects an invalid limit when the tool is created', () => {
  expect(() => transcribeAudio({ audio: { inFlight: 0 } })).toThrow(
    'audio.inFlight is 0. It must be at least 1.',
  )
})
