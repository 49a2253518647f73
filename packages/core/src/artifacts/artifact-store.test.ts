import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs-lite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { type ArtifactStore, isArtifactId, lateFacts } from './artifact.js'
import { folderArtifacts } from './folder-artifacts.js'
import { memoryArtifacts, readBytes } from './memory-artifacts.js'
import { unstorageArtifacts } from './unstorage-artifacts.js'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-artifacts-'))
})
afterAll(() => rm(root, { recursive: true }))

const stores: Readonly<Record<string, () => ArtifactStore>> = {
  memory: memoryArtifacts,
  folder: () => folderArtifacts(join(root, crypto.randomUUID())),
  'a storage in memory': () => unstorageArtifacts(createStorage()),
  'a storage in files': () =>
    unstorageArtifacts(createStorage({ driver: fsDriver({ base: join(root, crypto.randomUUID()) }) })),
}

const png = { kind: 'image', mediaType: 'image/png' } as const
const json = { kind: 'text', mediaType: 'application/json' } as const
const numbered = (n: number) => Uint8Array.of(n, n >> 8)

describe.each(Object.entries(stores))('artifacts in %s', (_where, newStore) => {
  test('what is put can be told, listed and read', async () => {
    const store = newStore()
    const facts = { ...png, width: 4, height: 5, origin: { tool: 'draw' }, parents: ['img_aaaaaaaa'] }
    const artifact = await store.put(numbered(1), facts)
    expect(artifact).toMatchObject({ ...facts, size: 2 })
    expect(isArtifactId(artifact.id)).toBe(true)
    expect(await store.stat(artifact.id)).toEqual(artifact)
    expect(await store.list()).toEqual([artifact])
    expect(await readBytes(await store.open(artifact.id))).toEqual(numbered(1))
  })

  test('facts that are known at the end of a stream are part of the description', async () => {
    const store = newStore()
    let length = 0
    const data = new Blob(['hello']).stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
          length += chunk.length
          out.enqueue(chunk)
        },
      }),
    )
    const late = async () => ({ durationMs: length })
    const info = { kind: 'audio', mediaType: 'audio/wav', [lateFacts]: late } as const
    const artifact = await store.put(data, info)
    expect(artifact.durationMs).toBe(5)
    expect(await store.stat(artifact.id)).toEqual(artifact)
    expect(Object.getOwnPropertySymbols(artifact)).toEqual([])
  })

  test('an artifact can be read again and again, side by side', async () => {
    const store = newStore()
    const { id } = await store.put(numbered(1), png)
    const reading = [store.open(id), store.open(id), store.open(id)].map(async (one) => readBytes(await one))
    expect(await Promise.all(reading)).toEqual([numbered(1), numbered(1), numbered(1)])
  })

  test('of puts of the same bytes side by side one describes them', async () => {
    const store = newStore()
    const puts = ['draw', 'edit', 'vary'].map((tool) => store.put(numbered(1), { ...png, origin: { tool } }))
    const [first, ...others] = await Promise.all(puts)
    for (const other of others) expect(other).toEqual(first)
    expect(await store.list()).toEqual([first])
  })

  test('the same bytes have the same id and are there once, as they were first described', async () => {
    const store = newStore()
    const first = await store.put(numbered(1), png)
    expect(await store.put(numbered(1), { kind: 'image', mediaType: 'image/x-other', width: 1 })).toEqual(
      first,
    )
    expect(await store.stat(first.id)).toEqual(first)
    expect(await store.list()).toEqual([first])
    const other = await store.put(numbered(1), { kind: 'audio', mediaType: 'audio/wav' })
    expect(other.sha256).toBe(first.sha256)
    expect(await store.list()).toEqual([first, other])
  })

  test.each([0, 1, 100_000])('a stream of %i bytes goes in and comes out', async (size) => {
    const store = newStore()
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251)
    const { id, sha256 } = await store.put(new Blob([bytes]).stream(), { kind: 'file', mediaType: 'a/b' })
    expect(sha256).toBe((await store.put(bytes, png)).sha256)
    // Each of 100,000 numbers is slow to compare by toEqual.
    expect(Buffer.compare(await readBytes(await store.open(id)), bytes)).toBe(0)
  })

  test('a stream that breaks off stores nothing', async () => {
    const store = newStore()
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(numbered(1))
        controller.error(new Error('the line is dead'))
      },
    })
    await expect(store.put(broken, png)).rejects.toThrow('the line is dead')
    expect(await store.list()).toEqual([])
  })

  test('stored bytes do not change when the caller changes its array, before or after it is read', async () => {
    const store = newStore()
    const buffer = Uint8Array.of(0, 7, 7, 0)
    const { id } = await store.put(buffer.subarray(1, 3), png)
    buffer.fill(9)
    const read = await readBytes(await store.open(id))
    read.fill(8)
    expect(await readBytes(await store.open(id))).toEqual(Uint8Array.of(7, 7))
  })

  test('JSON is stored like anything else', async () => {
    const store = newStore()
    const bytes = new TextEncoder().encode('{"artifact":null}')
    const artifact = await store.put(bytes, json)
    expect(await readBytes(await store.open(artifact.id))).toEqual(bytes)
    expect(await store.list()).toEqual([artifact])
  })

  test('the list begins with the oldest', async () => {
    const store = newStore()
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push((await store.put(numbered(n), png)).id)
    await store.put(numbered(0), png)
    expect((await store.list()).map(({ id }) => id)).toEqual(ids)
  })

  test('many can be put at one time, also the same one', async () => {
    const store = newStore()
    const puts = Array.from({ length: 60 }, (_, n) => store.put(numbered(n % 20), png))
    const artifacts = await Promise.all(puts)
    expect(new Set(artifacts.map(({ id }) => id)).size).toBe(20)
    expect(await store.list()).toHaveLength(20)
    for (const [n, { id }] of artifacts.entries()) {
      expect(await readBytes(await store.open(id))).toEqual(numbered(n % 20))
    }
  })

  test('a deleted artifact is gone, others are not, and it can be put again', async () => {
    const store = newStore()
    const [one, other] = [await store.put(numbered(1), png), await store.put(numbered(2), png)]
    await store.delete(one.id)
    expect(await store.stat(one.id)).toBeUndefined()
    expect(await store.list()).toEqual([other])
    await expect(store.open(one.id)).rejects.toMatchObject({ code: 'not_found' })
    await store.delete(one.id)
    await store.put(numbered(1), png)
    expect(await readBytes(await store.open(one.id))).toEqual(numbered(1))
  })

  test.each([
    'img_aaaaaaaa',
    '',
    'nonsense',
    '../img_aaaaaaaa',
    'img_aaaaaaaa/..',
    'img_aaaaaaaa\0',
    'constructor',
  ])('there is no artifact %j, and opening it says what to do', async (id) => {
    const store = newStore()
    await store.put(numbered(1), png)
    expect(await store.stat(id)).toBeUndefined()
    await expect(store.open(id)).rejects.toMatchObject({
      code: 'not_found',
      message: `Unknown artifact "${id}". Use the exact id of a result or attachment.`,
    })
    await store.delete(id)
    expect(await store.list()).toHaveLength(1)
  })
})

test('bytes that a storage has dropped are there again once they are put again', async () => {
  const storage = createStorage()
  const store = unstorageArtifacts(storage)
  const first = await store.put(numbered(1), png)
  await storage.removeItem(`artifact-bytes:${first.id}`)
  await expect(store.open(first.id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await store.put(numbered(1), { ...png, width: 3 })).toEqual(first)
  expect(await readBytes(await store.open(first.id))).toEqual(numbered(1))
})

/** Two contents whose hashes begin with the same 40 bits: they have one short id. */
const [left, right] = ['content 349337', 'content 498573'].map((words) =>
  new TextEncoder().encode(words),
) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]

const twoStores: Readonly<Record<string, () => readonly [ArtifactStore, ArtifactStore]>> = {
  ...Object.fromEntries(
    Object.entries(stores).map(([where, newStore]) => {
      const same = (store: ArtifactStore) => [store, store] as const
      return [where, () => same(newStore())]
    }),
  ),
  'two stores over a folder': () => {
    const folder = join(root, crypto.randomUUID())
    return [folderArtifacts(folder), folderArtifacts(folder)]
  },
  'two stores over a storage': () => {
    const storage = createStorage()
    return [unstorageArtifacts(storage), unstorageArtifacts(storage)]
  },
}

describe.each(Object.entries(twoStores))('contents of one short id in %s', (_where, newStores) => {
  test.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | ReadableStream<Uint8Array>]>([
    ['bytes', (bytes) => bytes],
    ['a stream', (bytes) => new Blob([bytes]).stream()],
  ])('that are put at the same time as %s are two artifacts', async (_as, toData) => {
    for (let round = 0; round < cases(50); round++) {
      const [one, other] = newStores()
      const puts = [
        one.put(toData(left), json),
        other.put(toData(right), json),
        other.put(toData(left), json),
      ]
      const [ofLeft, ofRight, again] = await Promise.all(puts)
      expect(again).toEqual(ofLeft)
      expect([ofLeft?.id.length, ofRight?.id.length].sort()).toEqual([12, 13])
      for (const store of [one, other]) {
        expect(await readBytes(await store.open(ofLeft?.id ?? ''))).toEqual(left)
        expect(await readBytes(await store.open(ofRight?.id ?? ''))).toEqual(right)
        expect(await store.list()).toHaveLength(2)
      }
    }
  })
})
