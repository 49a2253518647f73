import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply, scriptedModel } from '@capstan/testing'
import { recordRun } from '@capstan/testing/recording'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderArtifacts } from '../src/artifacts/folder-artifacts.js'
import { Agent } from '../src/index.js'
import { folderSessions } from '../src/sessions/folder-sessions.js'

const root = mkdtempSync(join(tmpdir(), 'capstan-modes-'))
let umask = 0
beforeAll(() => {
  umask = process.umask(0o022)
})
afterAll(() => {
  process.umask(umask)
  rmSync(root, { recursive: true })
})

/** The modes of all that is in a folder, and of the folder. Windows has none. */
function modesIn(folder: string): readonly string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const modes = ['.', ...inside].map((name) => {
    const stat = statSync(join(folder, name))
    return `${stat.isDirectory() ? 'folder' : 'file'} ${(stat.mode & 0o777).toString(8)}`
  })
  return process.platform === 'win32' ? onlyOwners : [...new Set(modes)].sort()
}

const onlyOwners = ['file 600', 'folder 700']

test('session files are private to their user', async () => {
  const folder = join(root, 'made', 'sessions')
  await folderSessions(folder).append('s', [{ role: 'user', content: 'Hello.' }], 0)
  expect(modesIn(join(root, 'made'))).toEqual(onlyOwners)
})

test('artifact files are private to their user', async () => {
  const folder = join(root, 'artifacts')
  const store = folderArtifacts(folder)
  const kind = { kind: 'text', mediaType: 'text/plain' } as const
  await store.put(new TextEncoder().encode('whole'), kind)
  const modes: (readonly string[])[] = []
  const streamed = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (modes.length === 2) return controller.close()
      // A part of it is in a file already.
      modes.push(modesIn(folder))
      controller.enqueue(new TextEncoder().encode('part'))
    },
  })
  await store.put(streamed, kind)
  expect([...modes, modesIn(folder)]).toEqual([onlyOwners, onlyOwners, onlyOwners])
  expect(readdirSync(folder)).toHaveLength(4)
})

test('recording files are private to their user', async () => {
  const file = join(root, 'recordings', 'run.jsonl')
  const agent = new Agent({ model: scriptedModel([reply.text('Hello.')]) })
  await agent.run('Hi.', recordRun(file))
  expect(modesIn(join(root, 'recordings'))).toEqual(onlyOwners)
})
