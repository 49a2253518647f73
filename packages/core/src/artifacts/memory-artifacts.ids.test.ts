import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ArtifactKind, isArtifact } from './artifact.js'
import { describeArtifact } from './memory-artifacts.js'

const free = () => false
const png = { kind: 'image', mediaType: 'image/png' } as const

test('an id is the prefix of the kind and eight characters of the hash, in base32', async () => {
  const bytes = new TextEncoder().encode('hello')
  const artifact = await describeArtifact(bytes, { ...png, width: 2, height: 3 }, free)
  const sha256 = createHash('sha256').update('hello').digest('hex')
  // The first 40 bits of the hash, 2cf24dba5f, five at a time.
  expect(artifact).toEqual({ id: 'img_ftze3os7', ...png, width: 2, height: 3, size: 5, sha256 })
})

test.each([
  ['image', 'img_'],
  ['audio', 'aud_'],
  ['text', 'txt_'],
  ['file', 'file_'],
] satisfies [ArtifactKind, string][])('an artifact of kind %s begins with %s', async (kind, prefix) => {
  const artifact = await describeArtifact(new Uint8Array(), { kind, mediaType: 'a/b' }, free)
  expect(artifact.id.startsWith(prefix)).toBe(true)
  expect(isArtifact(artifact)).toBe(true)
})

test('an id that another content has is made longer, one character at a time', async () => {
  const asked: string[] = []
  const taken = async (id: string, sha256: string) => {
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    asked.push(id)
    return asked.length < 4
  }
  const { id } = await describeArtifact(Uint8Array.of(1), png, taken)
  expect(asked.map(({ length }) => length)).toEqual(['img_'.length + 8, 13, 14, 15])
  expect(id).toBe(asked.at(-1))
  for (const shorter of asked) expect(id.startsWith(shorter)).toBe(true)
})

test('where every id is taken, the whole hash is the id', async () => {
  const artifact = await describeArtifact(Uint8Array.of(1), png, () => true)
  expect(artifact.id).toHaveLength('img_'.length + 51)
  expect(isArtifact(artifact)).toBe(true)
})

test('what describes another artifact describes no id, size or hash of this one', async () => {
  const one = await describeArtifact(Uint8Array.of(1), png, free)
  const other = await describeArtifact(Uint8Array.of(2, 3), one, free)
  expect(other.id).not.toBe(one.id)
  expect(other.sha256).not.toBe(one.sha256)
  expect(other.size).toBe(2)
})
