import { expect, test } from 'vitest'
import type { ArtifactInfo, ArtifactStore } from './artifact.js'
import { ArtifactViews } from './artifact-views.js'
import { memoryArtifacts, readBytes } from './memory-artifacts.js'

const text: ArtifactInfo<'text'> = { kind: 'text', mediaType: 'text/plain' }
const bytesOf = (words: string) => new TextEncoder().encode(words)
const read = async (store: ArtifactStore, id: string) =>
  new TextDecoder().decode(await readBytes(await store.open(id)))

function two(store = memoryArtifacts()) {
  const views = new ArtifactViews(store)
  return { store, views, ann: views.of('ann'), bob: views.of('bob') }
}

test('a view has what was stored through it, and an id of another view is as none', async () => {
  const { ann, bob } = two()
  const made = await ann.put(bytesOf('of ann'), text)
  expect(await ann.stat(made.id)).toEqual(made)
  expect(await ann.list()).toEqual([made])
  expect(await read(ann, made.id)).toBe('of ann')
  const none = 'txt_aaaaaaaa'
  for (const id of [made.id, none]) {
    expect(await bob.stat(id)).toBeUndefined()
    const { code, message } = await bob.open(id).catch((error) => error)
    expect([code, message.replace(id, none)]).toEqual([
      'not_found',
      (await bob.open(none).catch((error) => error)).message,
    ])
    await bob.delete(id)
  }
  expect(await bob.list()).toEqual([])
  expect(await read(ann, made.id)).toBe('of ann')
})

test('views of one owner are one, and a given artifact is in them', async () => {
  const { store, views, bob } = two()
  const given = await store.put(bytesOf('of the program'), text)
  expect(await bob.stat(given.id)).toBeUndefined()
  views.give('bob', given)
  expect(await views.of('bob').stat(given.id)).toEqual(given)
  expect(await views.of('ann').stat(given.id)).toBeUndefined()
})

test('of equal bytes each owner reads its own description, and neither takes them from the other', async () => {
  const { store, ann, bob } = two()
  const secret = {
    origin: { callId: 'c1', runId: 'r1', prompt: 'the secret of ann' },
    parents: ['img_aaaaaaaa'],
  }
  const first = await ann.put(bytesOf('same'), { ...text, ...secret })
  const second = await bob.put(bytesOf('same'), { ...text, origin: { callId: 'c2', runId: 'r2' } })
  expect(second.id).toBe(first.id)
  expect(first).toMatchObject(secret)
  for (const artifact of [second, await bob.stat(first.id), ...(await bob.list())])
    expect(JSON.stringify(artifact)).not.toMatch(/secret|aaaaaaaa|r1/)
  await ann.delete(first.id)
  expect(await ann.stat(first.id)).toBeUndefined()
  expect(await read(bob, first.id)).toBe('same')
  await bob.delete(first.id)
  expect(await store.list()).toEqual([])
})

test('a later put, or an artifact that is given, adds its mark for that owner alone', async () => {
  const { store, views, ann, bob } = two()
  const mail = { ...text, origin: { taintedBy: 'mail' } }
  const { id } = await ann.put(bytesOf('a mail'), text)
  await bob.put(bytesOf('a mail'), text)
  await ann.put(bytesOf('a mail'), mail)
  expect((await ann.stat(id))?.origin).toEqual({ taintedBy: 'mail' })
  expect((await bob.stat(id))?.origin).toBeUndefined()
  const given = await store.stat(id)
  expect(given?.origin).toEqual({ taintedBy: 'mail' })
  if (given) views.give('bob', given)
  expect((await bob.stat(id))?.origin).toEqual({ taintedBy: 'mail' })
})

test('what the program stored itself is not removed through a view', async () => {
  const { store, views, ann } = two()
  const own = await store.put(bytesOf('of the program'), text)
  const stream = new Blob(['of the program, too']).stream()
  const other = await store.put(bytesOf('of the program, too'), text)
  await ann.put(bytesOf('of the program'), text)
  await ann.put(stream, text)
  await ann.delete(own.id)
  await views.removeBefore(Number.POSITIVE_INFINITY, () => false)
  expect(await ann.list()).toEqual([])
  expect(await store.list()).toEqual([own, other])
})

test('old artifacts are removed unless they are needed or another view has them', async () => {
  const { store, views, ann, bob } = two()
  const names = ['unneeded', 'needed', 'shared']
  const [unneeded, needed, shared] = await Promise.all(names.map((name) => ann.put(bytesOf(name), text)))
  await bob.put(bytesOf('shared'), text)
  await views.removeBefore(0, () => false)
  expect(await ann.list()).toHaveLength(3)
  await views.removeBefore(
    Number.POSITIVE_INFINITY,
    (owner, id) => id === needed?.id || (owner === 'bob' && id === shared?.id),
  )
  expect(await ann.list()).toEqual([needed])
  expect(await bob.list()).toHaveLength(1)
  // Stored at the same time, in either order.
  expect(new Set((await store.list()).map(({ id }) => id))).toEqual(new Set([needed?.id, shared?.id]))
  expect(await store.stat(unneeded?.id ?? '')).toBeUndefined()
})

test('other views of the same store hold an artifact as well', async () => {
  const { store, ann } = two()
  const elsewhere = new ArtifactViews(store).of('ann')
  const { id } = await ann.put(bytesOf('same'), text)
  expect(await elsewhere.stat(id)).toBeUndefined()
  await elsewhere.put(bytesOf('same'), text)
  await ann.delete(id)
  expect(await read(elsewhere, id)).toBe('same')
})

test('content that is removed while another owner stores it is there for that owner', async () => {
  const store = memoryArtifacts()
  let proceed = () => {}
  const reached = new Promise<void>((resolve) => {
    proceed = resolve
  })
  let stored = () => {}
  const slow: ArtifactStore = {
    ...store,
    async put(data, info) {
      const artifact = await store.put(data, info)
      if (info.origin?.callId !== 'slow') return artifact
      stored()
      await reached
      return artifact
    },
  }
  const { ann, bob } = two(slow)
  const { id } = await ann.put(bytesOf('same'), text)
  const isStored = new Promise<void>((resolve) => {
    stored = resolve
  })
  const putting = bob.put(bytesOf('same'), { ...text, origin: { callId: 'slow', runId: 'r' } })
  await isStored
  await ann.delete(id)
  expect(await ann.stat(id)).toBeUndefined()
  proceed()
  await putting
  expect(await read(bob, id)).toBe('same')
  await bob.delete(id)
  expect(await store.stat(id)).toBeUndefined()
})

test('a removal that fails is an error, and is tried again', async () => {
  const store = memoryArtifacts()
  let isAway = true
  const { ann } = two({
    ...store,
    delete: async (id) => {
      if (isAway) throw new Error('away')
      return store.delete(id)
    },
  })
  const { id } = await ann.put(bytesOf('one'), text)
  await expect(ann.delete(id)).rejects.toThrow('away')
  expect(await ann.stat(id)).toBeUndefined()
  isAway = false
  await ann.put(bytesOf('another'), text)
  expect(await store.stat(id)).toBeUndefined()
})

test('of very many artifacts the oldest of the owner are forgotten, and then the oldest of all', async () => {
  const store = memoryArtifacts()
  const views = new ArtifactViews(store, 16)
  const first = await views.of('owner0').put(bytesOf('first'), text)
  for (let at = 0; at < 3; at++) await views.of('greedy').put(bytesOf(`greedy ${at}`), text)
  expect(await views.of('greedy').list()).toHaveLength(2)
  expect(await views.of('owner0').list()).toEqual([first])
  for (let at = 1; at < 16; at++) await views.of(`owner${at}`).put(bytesOf(`of ${at}`), text)
  expect(await views.of('owner0').list()).toEqual([])
  // The store still has what the view forgot.
  expect(await store.stat(first.id)).toEqual(first)
})
