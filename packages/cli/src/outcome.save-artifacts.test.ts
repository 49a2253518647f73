import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, memoryArtifacts } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { saveArtifacts } from './outcome.js'

const note = { kind: 'text', mediaType: 'text/plain' } as const
const picture = { kind: 'image', mediaType: 'image/png', width: 3, height: 2 } as const
const bytes = new TextEncoder().encode('Ahoy')

test('lists artifacts with their properties', async () => {
  const { artifacts } = new Agent({ model: scriptedModel([]) })
  const made = [await artifacts.put(bytes, note), await artifacts.put(new Uint8Array(1_234_567), picture)]
  expect(await saveArtifacts(made, artifacts, undefined)).toEqual([
    'txt_jejrf4wo (text/plain, 4 bytes)',
    `${made[1]?.id} (image/png, 3 x 2, 1.2 MB)`,
  ])
})

test('writes artifacts to a new folder, and reports missing ones', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'capstan-made-')), 'new')
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }))
  const umask = process.umask(0o022)
  onTestFinished(() => void process.umask(umask))
  const { artifacts } = new Agent({ model: scriptedModel([]) })
  const gone = await memoryArtifacts().put(new Uint8Array(3), picture)
  const lines = await saveArtifacts([await artifacts.put(bytes, note), gone], artifacts, folder)
  expect(lines).toEqual([
    `txt_jejrf4wo (text/plain, 4 bytes) -> ${join(folder, 'txt_jejrf4wo.txt')}`,
    `${gone.id} (image/png, 3 x 2, 3 bytes) is no longer available`,
  ])
  expect(readdirSync(folder)).toEqual(['txt_jejrf4wo.txt'])
  expect(readFileSync(join(folder, 'txt_jejrf4wo.txt'), 'utf8')).toBe('Ahoy')
  // The user chooses the folder, and its readers by umask. Windows has no modes.
  const modes = [folder, join(folder, 'txt_jejrf4wo.txt')].map((path) => statSync(path).mode & 0o777)
  if (process.platform !== 'win32') expect(modes).toEqual([0o755, 0o644])
})
