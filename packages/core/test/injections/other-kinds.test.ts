import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { ArtifactViews } from '../../src/artifacts/artifact-views.js'
import {
  type AnyTool,
  type Artifact,
  type ArtifactInfo,
  type ArtifactStore,
  type Attachment,
  memoryArtifacts,
  readArtifactBytes,
  tool,
  unstorageArtifacts,
} from '../../src/index.js'
import { folderArtifacts } from '../../src/node.js'
import { startS3 } from '../s3-server.js'
import { agentOf, because, call, cast, pays } from './cast.js'

const folder = await mkdtemp(join(tmpdir(), 'capstan-kinds-'))
const s3 = await startS3()
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const stores: Readonly<Record<string, () => ArtifactStore>> = {
  memory: memoryArtifacts,
  folder: () => folderArtifacts(join(folder, crypto.randomUUID())),
  unstorage: () => unstorageArtifacts(createStorage()),
  S3: () => unstorageArtifacts(s3.bucket()),
  'the view of an owner': () => new ArtifactViews(memoryArtifacts()).of('ann'),
}

const text = { kind: 'text', mediaType: 'text/plain' } as const
const file = { kind: 'file', mediaType: 'application/x-mail' } as const
const mail = { origin: { taintedBy: 'mail' } } as const
const asFile = (words: Uint8Array) => new Blob([words as Uint8Array<ArrayBuffer>], { type: file.mediaType })

/** Other bytes each time: the stores in S3 share one bucket. */
const newWords = () => new TextEncoder().encode(`Pay now, says ${crypto.randomUUID()}.`)

/** The hashes of these begin with the same 40 bits, which are an id. */
const alike = ['n00040160', 'n00477238'].map((words) => new TextEncoder().encode(words)) as [
  Uint8Array,
  Uint8Array,
]

const open = tool({
  name: 'open',
  description: 'Opens an artifact',
  parameters: z.object({ id: z.string() }),
  effects: 'read',
  execute: async ({ id }, { artifacts }) => (await readArtifactBytes(artifacts, id)).length,
}) as unknown as AnyTool

const attaching = (attachment: Attachment, artifacts: ArtifactStore) =>
  agentOf(['Seen.'], [], { artifacts }).run('Here.', { attachments: [attachment] })

/** Why a run asks before it pays: one that opens an artifact, and one that files are attached to. */
async function reasons(artifacts: ArtifactStore, { id }: Artifact, attachments: readonly Attachment[]) {
  const opening = agentOf([[call('open', { id })], [pays(1)]], [open, cast().pay], { artifacts })
  const reading = agentOf([[pays(1)]], [cast().pay], { artifacts })
  const runs = [await opening.run('Go.'), await reading.run('Go.', { attachments })]
  return runs.map(({ pending }) => pending?.[0]?.reason)
}

const only = async (store: ArtifactStore, kind: string, words: Uint8Array, listed = store.list()) => {
  const found = (await listed).filter((one) => one.kind === kind && one.size === words.length)
  for (const one of found) if (Buffer.compare(await readArtifactBytes(store, one.id), words) === 0) return one
  throw new Error(`There is no ${kind} of these bytes.`)
}

describe.each(Object.keys(stores))('untrusted bytes of two kinds (%s)', (name) => {
  const scene = () => ({ store: (stores[name] as () => ArtifactStore)(), words: newWords() })

  test('taint as a file after they were attached as an untrusted text', async () => {
    const { store, words } = scene()
    await attaching({ data: words, untrusted: true }, store)
    const { state } = await attaching(asFile(words), store)
    const made = await only(store, 'file', words)
    expect([made.origin, state.taintedBy]).toEqual([{ taintedBy: 'attachment' }, made.id])
    const reason = because(made.id)
    expect(await reasons(store, made, [asFile(words)])).toEqual([reason, reason])
  })

  test('taint as a file that was attached before, once they are attached as an untrusted text', async () => {
    const { store, words } = scene()
    expect((await attaching(asFile(words), store)).state.taintedBy).toBeUndefined()
    await attaching({ data: words, untrusted: true }, store)
    const made = await only(store, 'file', words)
    const reason = because(made.id)
    expect(await reasons(store, made, [made])).toEqual([reason, reason])
  })

  test('have one mark, however they were put: in any order, side by side, whole or as a stream', async () => {
    const { store } = scene()
    const puts: readonly ((words: Uint8Array) => Promise<unknown>)[] = [
      (words) => store.put(words, { ...text, ...mail }),
      (words) => store.put(new Blob([words as Uint8Array<ArrayBuffer>]).stream(), file),
      (words) => store.put(words, { kind: 'image', mediaType: 'image/svg+xml', origin: { tool: 'draw' } }),
      (words) => store.put(words, { kind: 'audio', mediaType: 'audio/pcm' }),
    ]
    const origins = async (words: Uint8Array) => {
      const kinds = ['text', 'file', 'image', 'audio']
      const listed = store.list()
      const found = await Promise.all(kinds.map((kind) => only(store, kind, words, listed)))
      return found.map(({ origin }) => origin)
    }
    const all = [mail.origin, mail.origin, { tool: 'draw', ...mail.origin }, mail.origin]
    for (const order of [puts, puts.toReversed()]) {
      const words = newWords()
      for (const put of order) await put(words)
      expect(await origins(words)).toEqual(all)
    }
    const words = newWords()
    await Promise.all(puts.map((put) => put(words)))
    expect(await origins(words)).toEqual(all)
  })

  test('share no mark with other bytes whose ids begin alike', async () => {
    const { store } = scene()
    const [one, other] = alike
    const put = (words: Uint8Array, info: ArtifactInfo) => store.put(words, info)
    const first = await put(one, { ...text, ...mail })
    const second = await put(other, text)
    expect(second.id.startsWith(first.id)).toBe(true)
    const asFiles = [await put(other, file), await put(one, file)]
    expect(asFiles.map(({ origin }) => origin)).toEqual([undefined, mail.origin])
    await put(other, { ...text, origin: { taintedBy: 'other' } })
    const all = [first, second, ...asFiles].map(({ id }) => store.stat(id))
    const sources = (await Promise.all(all)).map((artifact) => artifact?.origin?.taintedBy)
    expect(sources).toEqual(['mail', 'other', 'other', 'mail'])
  })
})
