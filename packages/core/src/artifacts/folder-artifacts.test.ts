import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderArtifacts } from './folder-artifacts.js'
import { readBytes } from './memory-artifacts.js'

let root = ''
let folder = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-folder-'))
  folder = join(root, 'made', 'late')
})
afterEach(() => rm(root, { recursive: true }))

const png = { kind: 'image', mediaType: 'image/png' } as const
const bytes = Uint8Array.of(1, 2, 3)

test('the folder is made by the first artifact, and not before', async () => {
  const store = folderArtifacts(folder)
  expect(await store.list()).toEqual([])
  expect(await store.stat('img_aaaaaaaa')).toBeUndefined()
  await store.delete('img_aaaaaaaa')
  expect(await readdir(root)).toEqual([])
  await store.put(bytes, png)
  expect(await readdir(folder)).toHaveLength(2)
})

test('what one store put, another of the same folder has, in the same order', async () => {
  const [first, second] = [folderArtifacts(folder), folderArtifacts(folder)]
  const one = await first.put(bytes, { ...png, width: 3 })
  const two = await second.put(Uint8Array.of(4), png)
  for (const store of [first, second, folderArtifacts(folder)]) expect(await store.list()).toEqual([one, two])
})

test('a description that cannot be read is left out of the list, and a warning says so', async () => {
  const store = folderArtifacts(folder)
  const one = await store.put(bytes, png)
  await mkdir(join(folder, 'img_aaaaaaaa.artifact.json'))
  const warned = once(process, 'warning')
  expect(await store.list()).toEqual([one])
  expect(await warned).toMatchObject([{ code: 'EISDIR' }])
})

test.each([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['audio/mpeg', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['text/plain; charset=utf-8', 'txt'],
  ['application/json', 'json'],
  ['application/octet-stream', 'bin'],
  ['image/svg+xml', 'bin'],
  ['image/../../../escape', 'bin'],
  ['a/b/c', 'bin'],
  ['constructor', 'bin'],
  ['', 'bin'],
])('a file of type %j ends in .%s and lies in the folder', async (mediaType, extension) => {
  const store = folderArtifacts(folder)
  const artifact = await store.put(bytes, { kind: 'file', mediaType })
  const path = store.pathOf(artifact)
  expect(path).toBe(join(folder, `${artifact.id}.${extension}`))
  expect(new Uint8Array(await readFile(path))).toEqual(bytes)
  expect(await readBytes(await store.open(artifact.id))).toEqual(bytes)
})

test.each(['bytes', 'a stream'])(
  'an artifact whose file was deleted gets the mark of %s of another kind, and no file',
  async (given) => {
    const store = folderArtifacts(folder)
    const artifact = await store.put(bytes, png)
    await rm(store.pathOf(artifact))
    const data = given === 'bytes' ? bytes : new Blob([bytes]).stream()
    const origin = { taintedBy: 'mail' }
    const other = await store.put(data, { kind: 'file', mediaType: 'application/octet-stream', origin })
    expect(await store.list()).toEqual([other])
    expect((await store.put(bytes, png)).origin).toEqual(origin)
  },
)

const described = async () => {
  const store = folderArtifacts(folder)
  const artifact = await store.put(bytes, png)
  const names = await readdir(folder)
  const description = join(folder, names.find((name) => name.endsWith('.json')) ?? '')
  const { at } = JSON.parse(await readFile(description, 'utf8'))
  return { store, artifact, description, at }
}

test('a description edited by hand names no other file, in the folder or outside', async () => {
  const { store, artifact, description, at } = await described()
  const secret = join(root, 'secret.png')
  await writeFile(secret, 'secret')
  const edited = { ...artifact, id: '../../secret', mediaType: 'image/png' }
  await writeFile(description, JSON.stringify({ artifact: edited, at }))
  expect(await store.list()).toEqual([artifact])
  expect(await readBytes(await store.open(artifact.id))).toEqual(bytes)
  await store.delete(artifact.id)
  expect(await readFile(secret, 'utf8')).toBe('secret')
  expect(await readdir(folder)).toEqual([])
})

test.each(['', '{', 'null', '[]', '{}', '{"artifact":null}', '{"artifact":{"kind":"audio"}}'])(
  'a description spoilt to %j hides its artifact alone, until it is put again',
  async (spoilt) => {
    const { store, artifact, description } = await described()
    const other = await store.put(Uint8Array.of(9), png)
    await writeFile(description, spoilt)
    expect(await store.list()).toEqual([other])
    expect(await store.stat(artifact.id)).toBeUndefined()
    await expect(store.open(artifact.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.put(bytes, png)).toEqual(artifact)
    expect(await store.stat(artifact.id)).toEqual(artifact)
  },
)

const spoilings: readonly [string, (path: string) => Promise<void>][] = [
  ['deleted', (path) => rm(path)],
  ['cut', (path) => writeFile(path, bytes.subarray(0, 2))],
  ['replaced by a folder', (path) => rm(path).then(() => mkdir(path).then())],
]

test.each(spoilings)(
  'an artifact whose file was %s is not there, other artifacts are',
  async (_how, spoil) => {
    const { store, artifact } = await described()
    const other = await store.put(Uint8Array.of(9), png)
    await spoil(store.pathOf(artifact))
    expect(await store.list()).toEqual([other])
    expect(await store.stat(artifact.id)).toBeUndefined()
    await expect(store.open(artifact.id)).rejects.toMatchObject({ code: 'not_found' })
  },
)

test.each(spoilings.slice(0, 2))('an artifact whose file was %s can be put again', async (_how, spoil) => {
  const { store, artifact } = await described()
  await spoil(store.pathOf(artifact))
  expect(await store.put(bytes, png)).toEqual(artifact)
  expect(await readBytes(await store.open(artifact.id))).toEqual(bytes)
  expect(await readdir(folder)).toHaveLength(2)
})

test('an artifact whose file was deleted can be deleted, and leaves nothing', async () => {
  const { store, artifact } = await described()
  await rm(store.pathOf(artifact))
  await store.delete(artifact.id)
  expect(await readdir(folder)).toEqual([])
})

test('a file that goes away while it is opened is told as not there', async () => {
  const { store, artifact } = await described()
  const path = store.pathOf(artifact)
  for (let n = 0; n < 50; n++) {
    await store.put(bytes, png)
    const [opened] = await Promise.allSettled([store.open(artifact.id), rm(path)])
    if (opened.status === 'fulfilled') expect(await readBytes(opened.value)).toEqual(bytes)
    else expect(opened.reason).toMatchObject({ code: 'not_found' })
  }
})

test('other files in the folder are none of its artifacts', async () => {
  await mkdir(folder, { recursive: true })
  const names = ['package.json', 'img_aaaaaaaa.json', 'x.artifact.json', 'img_aaaaaaaa.artifact.json.part']
  for (const name of names) await writeFile(join(folder, name), '{"artifact":{}}')
  const store = folderArtifacts(folder)
  const artifact = await store.put(bytes, png)
  expect(await store.list()).toEqual([artifact])
})

test('a reader never sees a half-written artifact', async () => {
  const store = folderArtifacts(folder)
  const large = new Uint8Array(4_000_000).fill(7)
  const putting = store.put(large, png)
  let done = false
  const finished = putting.then(() => {
    done = true
  })
  for (;;) {
    for (const { id } of await store.list()) {
      expect((await readBytes(await store.open(id))).byteLength).toBe(large.byteLength)
    }
    if (done) break
  }
  await finished
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('an artifact that is deleted twice at one time is no error', async () => {
  const { store, artifact } = await described()
  await Promise.all([store.delete(artifact.id), store.delete(artifact.id)])
  expect(await readdir(folder)).toEqual([])
})

test('a folder that cannot be read is an error, not an empty store', async () => {
  await writeFile(dirname(folder), 'a file in the way')
  const store = folderArtifacts(folder)
  await expect(store.list()).rejects.toThrow('ENOTDIR')
  await expect(store.stat('img_aaaaaaaa')).rejects.toThrow('ENOTDIR')
})

test('a folder that cannot be made is an error', async () => {
  await writeFile(dirname(folder), 'a file in the way')
  await expect(folderArtifacts(folder).put(bytes, png)).rejects.toThrow(/EEXIST|ENOTDIR/)
})

test('a content whose file was deleted does not give its id to another content', async () => {
  const [left, right] = ['content 349337', 'content 498573'].map((words) => new TextEncoder().encode(words))
  const store = folderArtifacts(folder)
  const first = await store.put(left as Uint8Array, png)
  await rm(store.pathOf(first))
  const second = await store.put(right as Uint8Array, png)
  expect(second.id).toBe(`${first.id}${second.id.slice(-1)}`)
  expect(await store.stat(first.id)).toBeUndefined()
  expect(await store.put(left as Uint8Array, png)).toEqual(first)
  expect(await readBytes(await store.open(first.id))).toEqual(left)
  await store.delete(first.id)
  expect(await store.list()).toEqual([second])
})
