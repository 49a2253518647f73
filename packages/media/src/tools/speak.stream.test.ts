import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, memoryArtifacts } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { encode, encodeWav } from '@capstan/speech'
import { expect, onTestFinished, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { bytesOf, wav } from '../../test/artifacts.js'
import { calling } from '../../test/calling.js'
import { startMediaServer } from '../../test/media-server.js'
import { sampleRate, speechLike } from '../../test/recordings.js'
import { speak } from './speak.js'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-speech-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const headers = { 'content-type': 'audio/wav' }
const long = encodeWav({ samples: speechLike(8), sampleRate })
const half = long.length / 2

/** The bytes in all files of a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

test('the store has the first bytes before the service sends the last ones', async () => {
  const folder = temporaryFolder()
  const { client } = await startMediaServer(() => ({
    headers,
    body: (async function* () {
      yield long.subarray(0, half)
      await expect.poll(() => bytesIn(folder)).toBeGreaterThan(half / 2)
      yield long.subarray(half)
    })(),
  }))
  const artifacts = folderArtifacts(folder)
  const { audio } = await speak({ client, artifacts, input: 'Hello' })
  expect(audio).toMatchObject({ mediaType: 'audio/wav', durationMs: 8000, size: long.length })
  expect(await bytesOf(artifacts, audio)).toEqual(long)
})

const stores = [
  ['memoryArtifacts', () => memoryArtifacts()],
  ['folderArtifacts', () => folderArtifacts(temporaryFolder())],
] as const

test.each(stores)('%s: a failure midway leaves no half artifact', async (_, toStore) => {
  const { client } = await startMediaServer(() => ({
    headers,
    body: (async function* () {
      yield long.subarray(0, half)
      throw new Error('The power is off.')
    })(),
  }))
  const artifacts = toStore()
  await expect(speak({ client, artifacts, input: 'Hello' })).rejects.toMatchObject({
    code: 'network',
    message: expect.stringContaining('/audio/speech'),
  })
  expect(await artifacts.list()).toEqual([])
})

test('a failure midway leaves no file', async () => {
  const folder = temporaryFolder()
  const { client } = await startMediaServer(() => ({
    headers: { ...headers, 'content-length': String(long.length) },
    body: (async function* () {
      yield long.subarray(0, half)
    })(),
  }))
  await expect(speak({ client, artifacts: folderArtifacts(folder), input: 'Hello' })).rejects.toMatchObject({
    code: 'network',
  })
  expect(readdirSync(folder)).toEqual([])
})

test('an abort midway leaves no file', async () => {
  const folder = temporaryFolder()
  const controller = new AbortController()
  const { client } = await startMediaServer(() => ({
    headers,
    body: (async function* () {
      yield long.subarray(0, half)
      await expect.poll(() => bytesIn(folder)).toBeGreaterThan(0)
      controller.abort(new Error('enough'))
      await new Promise(() => {})
    })(),
  }))
  const artifacts = folderArtifacts(folder)
  const asked = speak({ client, artifacts, input: 'Hello', signal: controller.signal })
  await expect(asked).rejects.toThrow('enough')
  await expect.poll(() => readdirSync(folder)).toEqual([])
})

test.each(some(stores))('%s: a recording of unknown length gets its duration', async (_, toStore) => {
  const mp3 = await encode({ samples: speechLike(8), sampleRate }, 'mp3')
  const ogg = await encode({ samples: speechLike(8), sampleRate }, 'ogg')
  for (const [bytes, type] of [
    [mp3, 'audio/mpeg'],
    [ogg, 'audio/ogg'],
    [long, 'audio/wav'],
  ] as const) {
    const { client } = await startMediaServer(() => ({
      headers: { 'content-type': type },
      body: (async function* () {
        for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
      })(),
    }))
    const artifacts = toStore()
    const { audio } = await speak({ client, artifacts, input: 'Hello' })
    expect(audio.mediaType).toBe(type)
    expect((audio.durationMs ?? 0) / 1000).toBeCloseTo(8, 0)
    expect(await artifacts.stat(audio.id)).toEqual({ ...audio })
    expect(Object.getOwnPropertySymbols(await artifacts.stat(audio.id))).toEqual([])
    expect(await bytesOf(artifacts, audio)).toEqual(Uint8Array.from(bytes))
  }
})

test('in a run the artifact, its event and the result have the duration', async () => {
  const { client } = await startMediaServer(() => ({ headers, body: wav() }))
  const stored: unknown[] = []
  const agent = new Agent({
    model: calling({ name: 'speak', arguments: { input: 'Hello' } }),
    tools: [speak({ client })],
    limits: { artifactBytes: 1e6 },
  })
  const { artifacts, toolCalls } = await agent.run('Speak.', {
    observe: (event) => event.type === 'artifact-stored' && stored.push(event.artifact),
  })
  expect(artifacts).toMatchObject([{ durationMs: 250 }])
  expect(stored).toEqual(artifacts)
  expect(toolCalls[0]?.content).toContain('"durationMs":250')
})

test('a limit of a run on bytes ends a long response, and stores nothing', async () => {
  let sent = 0
  const { client } = await startMediaServer(() => ({
    headers,
    body: (async function* () {
      yield long
      for (;;) {
        sent += 1
        yield new Uint8Array(100_000)
      }
    })(),
  }))
  const artifacts = memoryArtifacts()
  const agent = new Agent({
    model: calling({ name: 'speak', arguments: { input: 'Hello' } }),
    tools: [speak({ client })],
    limits: { artifactBytes: long.length + 1e6 },
    artifacts,
  })
  const result = await agent.run('Speak.')
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'artifactBytes' })
  expect(await artifacts.list()).toEqual([])
  expect(sent).toBeLessThan(1000)
})

test('raw samples that look like text are stored, and a text that claims to be samples is not', async () => {
  const samples = new Uint8Array(20_000).fill(65)
  samples[10_000] = 0
  const type = { 'content-type': 'audio/pcm' }
  const raw = await startMediaServer(() => ({ headers: type, body: Uint8Array.from([...samples, 255]) }))
  const { audio } = await speak({ client: raw.client, input: 'Hello' })
  expect(await audio.read()).toEqual(Uint8Array.from([...samples, 255]))
  const text = await startMediaServer(() => ({ headers: type, body: 'A'.repeat(20_000) }))
  await expect(speak({ client: text.client, input: 'Hello' })).rejects.toMatchObject({
    code: 'invalid_response',
  })
})
