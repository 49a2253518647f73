import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryArtifacts } from '@capstan/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { mediaTools } from '../tools/media-tools.js'
import { type Allow, sourcesOf } from './allow.js'
import { findArtifact } from './resolve-input.js'

const picture = png(6, 5)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'named-'))
  await mkdir(join(folder, 'inner'))
  await writeFile(join(folder, 'inner/a b.png'), picture)
  await symlink(join(folder, 'inner/a b.png'), join(folder, 'link.png'))
})
afterAll(() => rm(folder, { recursive: true }))

const wanted = { kind: 'image', field: 'image', store: memoryArtifacts() } as const

test.each([
  ['by its name', () => 'file:inner/a b.png'],
  ['by its name with escapes', () => 'file:inner/a%20b.png'],
  ['from the folder itself', () => 'file:./inner/../inner/a b.png'],
  ['by its whole path', () => `file://${folder}/inner/a%20b.png`],
  ['by its whole path on this machine', () => `file://localhost${folder}/inner/a%20b.png`],
  ['through a link within the folder', () => 'file:link.png'],
])('reads a file named %s by a model', async (_, address) => {
  expect(await findArtifact(address(), { ...wanted, allow: { folder } })).toMatchObject({
    width: 6,
    height: 5,
  })
})

test('does not follow a folder that becomes a link between check and opening', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'outside-'))
  await writeFile(join(outside, 'a.png'), png(9, 9))
  await mkdir(join(folder, 'door'))
  await writeFile(join(folder, 'door/a.png'), picture)
  const { promises } = process.getBuiltinModule('node:fs')
  const { open } = promises
  // The last possible moment.
  Object.assign(promises, {
    async open(...args: Parameters<typeof open>) {
      await rename(join(folder, 'door'), join(folder, 'moved'))
      await symlink(outside, join(folder, 'door'))
      return open(...args)
    },
  })
  try {
    await expect(findArtifact('file:door/a.png', { ...wanted, allow: { folder } })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('it was moved while it was being opened'),
    })
  } finally {
    Object.assign(promises, { open })
    await rm(outside, { recursive: true })
  }
})

test('fetches an address at an allowed host for a model', async () => {
  const { origin } = await startMediaServer(() => ({ body: picture }))
  const allow = { hosts: [new URL(origin).host] }
  expect(await findArtifact(`${origin}/a.png`, { ...wanted, allow })).toMatchObject({ width: 6, height: 5 })
})

test('names a missing folder', async () => {
  const allow = { folder: join(folder, 'nowhere') }
  await expect(findArtifact('file:a.png', { ...wanted, allow })).rejects.toThrow('does not exist')
})

test('tells a model which inputs are allowed', () => {
  expect(sourcesOf()).toBe('Artifact id')
  expect(sourcesOf({ folder, hosts: ['cdn.example.com'] })).toBe(
    'Artifact id, or a file:<name>, or a URL at cdn.example.com,',
  )
})

test.each<[Allow, string]>([
  [{ hosts: ['https://cdn.example.com'] }, '"https://cdn.example.com" is not a host'],
  [{ hosts: ['cdn.example.com/pictures'] }, '"cdn.example.com/pictures" is not a host'],
  [{ hosts: ['user@cdn.example.com'] }, 'is not a host'],
  [{ hosts: [''] }, '"" is not a host'],
  [{ folder: '' }, '"folder" is empty'],
  [{ seconds: 0 }, '"bytes" and "seconds" must be above 0, and "seconds" below 86400'],
])('rejects %j at once', (allow, words) => {
  expect(() => mediaTools({ allow })).toThrow(words)
})
