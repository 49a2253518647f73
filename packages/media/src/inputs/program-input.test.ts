import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isArtifact, memoryArtifacts, tool } from '@capstan/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { base64, wav } from '../../test/artifacts.js'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { audioId, imageId } from '../tools/parameters.js'
import { withInputs } from './program-input.js'
import { findArtifact } from './resolve-input.js'

const picture = png(6, 5)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inputs-'))
  await writeFile(join(folder, 'a b.png'), picture)
  await writeFile(join(folder, 'tone.wav'), wav())
})
afterAll(() => rm(folder, { recursive: true }))

/** A tool that returns the kinds of its image and its recording. */
const look = withInputs(
  tool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ image: imageId, file: audioId.optional(), note: z.string().optional() }),
    execute: async ({ image, file, note }, { artifacts: store }) => ({
      image: await store.stat(image),
      file:
        file === undefined ? undefined : await findArtifact(file, { kind: 'audio', field: 'file', store }),
      note,
    }),
  }),
  { kinds: { image: 'image', file: 'audio' }, allow: { hosts: [] } },
)

const stored = { kind: 'image', mediaType: 'image/png', width: 6, height: 5, size: picture.length }

test.each([
  ['bytes', () => picture],
  ['a Blob', () => new Blob([picture as Uint8Array<ArrayBuffer>])],
  ['a file', () => ({ path: join(folder, 'a b.png') })],
  ['the address of a file', () => pathToFileURL(join(folder, 'a b.png'))],
  ['a data: address', () => `data:image/png;base64,${base64(picture)}` as const],
  ['a data: address as a URL', () => new URL(`data:image/png;base64,${base64(picture)}`)],
])('stores %s before the tool runs', async (_, given) => {
  expect(await look.call({ image: given(), note: 'kept' })).toMatchObject({ image: stored, note: 'kept' })
})

test('takes an id or an artifact from the store of the call', async () => {
  const artifacts = memoryArtifacts()
  const image = await artifacts.put(picture, { kind: 'image', mediaType: 'image/png' })
  expect(await look.call({ image: image.id }, { artifacts })).toMatchObject({ image })
  expect(await look.call({ image }, { artifacts })).toMatchObject({ image })
  expect(isArtifact((await look.call({ image })).image)).toBe(false)
})

test('fetches an address at an allowed host', async () => {
  const { origin } = await startMediaServer(() => ({ body: picture }))
  const reaching = withInputs(
    tool({
      name: 'reach',
      description: 'Reaches.',
      parameters: z.object({ image: imageId }),
      execute: ({ image }, { artifacts }) => artifacts.stat(image),
    }),
    { kinds: { image: 'image' }, allow: { hosts: [new URL(origin).host] } },
  )
  expect(await reaching.call({ image: new URL('/a.png', origin) })).toMatchObject(stored)
  expect(await reaching.call({ image: `${origin}/a.png` as `http://${string}` })).toMatchObject(stored)
})

test('detects a recording by its content', async () => {
  for (const file of [wav(), { path: join(folder, 'tone.wav') }])
    expect(await look.call({ image: picture, file })).toMatchObject({ file: { mediaType: 'audio/wav' } })
  await expect(look.call({ image: picture, file: picture })).rejects.toThrow(
    '"file" is not an audio recording but image/png. Pass a recording as mp3',
  )
  await expect(look.call({ image: picture, file: { path: join(folder, 'a b.png') } })).rejects.toThrow(
    'is not an audio recording but image/png',
  )
})

test('keeps the schema of ids: rejects an object from a model', async () => {
  expect(look.definition.function.parameters).toMatchObject({ properties: { image: { type: 'string' } } })
  const written = await look.parameters['~standard'].validate({ image: { path: '/etc/passwd' } })
  expect(written.issues).toHaveLength(1)
})

test('stores nothing after an abort', async () => {
  const artifacts = memoryArtifacts()
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(look.call({ image: picture }, { artifacts, signal })).rejects.toThrow('enough')
  expect(await artifacts.list()).toEqual([])
})

test('aborts fetching', async () => {
  const stop = new AbortController()
  const { origin } = await startMediaServer(() => {
    stop.abort(new Error('enough'))
    return undefined
  })
  const hosts = [new URL(origin).host]
  const reaching = withInputs(look, { kinds: { image: 'image' }, allow: { hosts } })
  await expect(reaching.call({ image: new URL(origin) }, { signal: stop.signal })).rejects.toThrow('enough')
})

test('stores the duration of a recording', async () => {
  const artifacts = memoryArtifacts()
  await look.call({ image: picture, file: wav() }, { artifacts })
  expect(await artifacts.list()).toContainEqual(
    expect.objectContaining({ mediaType: 'audio/wav', durationMs: 250 }),
  )
})
