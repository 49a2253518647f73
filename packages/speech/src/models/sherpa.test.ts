import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeTinyVoice } from '../../test/write-tiny-models.js'
import { loadSherpa, modelRoot } from './sherpa.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sherpa-'))
  await writeTinyVoice(join(folder, 'voice'))
})
afterEach(() => rm(folder, { recursive: true }))

async function loadTokens(path: string) {
  const engine = await loadSherpa(join(folder, 'voice'))
  const voice = { model: `${modelRoot}/tiny.onnx`, tokens: path, lexicon: '', dataDir: '' }
  const { lines, ...outcome } = engine.watch(() =>
    engine.createVoice({ offlineTtsModelConfig: { offlineTtsVitsModelConfig: voice } }),
  )
  return { said: lines.join('\n'), loaded: 'value' in outcome && outcome.value.handle !== 0 }
}

test('the engine reads files of the folder', async () => {
  expect(await loadTokens(`${modelRoot}/tokens.txt`)).toMatchObject({ loaded: true })
  await mkdir(join(folder, 'voice', 'more'))
  await writeFile(join(folder, 'voice', 'more', 'tokens.txt'), 'a 1\n')
  expect(await loadTokens('more/tokens.txt')).toMatchObject({ loaded: true })
})

test('nothing outside the folder exists for the engine', async () => {
  const outside = join(folder, 'tokens.txt')
  await writeFile(outside, 'a 1\n')
  await symlink(outside, join(folder, 'voice', 'link.txt'))
  for (const path of [outside, `${modelRoot}/../tokens.txt`, '../tokens.txt', `${modelRoot}/link.txt`]) {
    const { loaded, said } = await loadTokens(path)
    expect([loaded, said]).toEqual([false, expect.stringContaining('does not exist')])
  }
})
