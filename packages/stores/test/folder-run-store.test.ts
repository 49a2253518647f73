import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunEntry, RunStore } from '../src/index.js'
import { folderRunStore } from '../src/node.js'

let parent: string
let folder: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
  folder = join(parent, 'a', 'b')
})

afterEach(() => rm(parent, { recursive: true, force: true }))

const entry: RunEntry = {
  owner: 'ada',
  agent: 'helper',
  status: 'running',
  callIds: [],
  createdAt: 1,
  updatedAt: 1,
  record: null,
}

/** Returns a store that contains a run with three events, and the path of the run's folder. */
async function withRun(runId = 'r'): Promise<{ readonly store: RunStore; readonly path: string }> {
  const before = await readdir(join(folder, 'runs')).catch((): string[] => [])
  const store = folderRunStore(folder)
  await store.put(runId, entry, 0)
  await store.put(runId, { ...entry, record: 'second' }, 1)
  await store.append(runId, [{ seq: 0 }, { seq: 1 }], -1)
  await store.append(runId, [{ seq: 2 }], 1)
  const name = (await readdir(join(folder, 'runs'))).find((one) => !before.includes(one)) ?? ''
  return { store, path: join(folder, 'runs', name) }
}

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
}

async function newestEntry(path: string): Promise<string> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.json'))
  return join(path, names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).at(-1) ?? '')
}

test.skipIf(process.platform === 'win32')('files have mode 0600 and new folders 0700', async () => {
  const { store } = await withRun()
  await store.setOnce('k', 1)
  for (const file of await filesIn(folder)) expect((await stat(file)).mode & 0o777).toBe(0o600)
  for (const path of [folder, join(parent, 'a'), join(folder, 'runs'), join(folder, 'keys')])
    expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('each file has its format, and nothing is left of old versions and deleted runs', async () => {
  const { store, path } = await withRun()
  for (let version = 2; version < 9; version++) await store.put('r', entry, version)
  await store.setOnce('k', 1)
  await store.setOnce('expired', 1, 1)
  expect((await readdir(path)).length).toBe(4)
  for (const file of await filesIn(folder))
    if (!file.endsWith('.id')) expect(await readFile(file, 'utf8')).toMatch(/^\{"format":1,/)
  await store.delete('r')
  expect(await readdir(join(folder, 'runs'))).toEqual([])
  expect(await readdir(join(folder, 'parts'))).toEqual([])
})

test('a line that was cut off is dropped, by readers and by the next append', async () => {
  const { store, path } = await withRun()
  await appendFile(join(path, 'events.jsonl'), '{"after":2,"by":"x","events":[{"seq":3')
  expect(await folderRunStore(folder).read('r', 1)).toEqual([{ seq: 2 }])
  await store.append('r', [{ seq: 3, by: 'next' }], 2)
  await store.append('r', [{ seq: 4 }], 3)
  const wanted = [{ seq: 2 }, { seq: 3, by: 'next' }, { seq: 4 }]
  expect(await store.read('r', 1)).toEqual(wanted)
  expect(await folderRunStore(folder).read('r', 1)).toEqual(wanted)
})

test('of two lines that continue one event the first counts', async () => {
  const { store, path } = await withRun()
  await appendFile(join(path, 'events.jsonl'), '{"after":1,"by":"x","events":[{"seq":2,"late":true}]}\n')
  expect(await store.read('r', 1)).toEqual([{ seq: 2 }])
  await store.append('r', [{ seq: 3 }], 2)
  expect(await folderRunStore(folder).read('r', 1)).toEqual([{ seq: 2 }, { seq: 3 }])
})

test.each([
  ['is not JSON', 'broken\n'],
  ['leaves a gap', '{"after":7,"by":"x","events":[{"seq":8}]}\n'],
  ['has events with other numbers', '{"after":2,"by":"x","events":[{"seq":5}]}\n'],
])('a log with a line that %s is invalid_state and named', async (_, line) => {
  const { store, path } = await withRun()
  const log = join(path, 'events.jsonl')
  await appendFile(log, line)
  const error = { code: 'invalid_state', message: expect.stringContaining(log) }
  for (const one of [store, folderRunStore(folder)]) {
    await expect(one.read('r', -1)).rejects.toMatchObject(error)
    await expect(one.append('r', [{ seq: 3 }], 2)).rejects.toMatchObject(error)
  }
  expect((await store.get('r'))?.version).toBe(2)
})

test('a log of a newer version is invalid_state', async () => {
  const { store, path } = await withRun()
  await writeFile(join(path, 'events.jsonl'), '{"format":2,"log":"x"}\n')
  const message = expect.stringContaining('format 2 is newer than 1')
  await expect(store.read('r', -1)).rejects.toMatchObject({ code: 'invalid_state', message })
})

test.each([
  ['cut off', '{"format":1,"runId":"r","writers":["a"],"ent', 'the content is damaged'],
  ['without an entry', '{"format":1,"runId":"r","writers":["a"]}', 'the content is damaged'],
  ['newer', '{"format":7,"runId":"r"}', 'format 7 is newer than 1'],
])(
  'an entry that is %s is invalid_state, and left out of the list with one warning',
  async (_, text, why) => {
    const { store, path } = await withRun()
    await store.put('other', entry, 0)
    const file = await newestEntry(path)
    await writeFile(file, text)
    const error = { code: 'invalid_state', message: expect.stringMatching(why) }
    await expect(store.get('r')).rejects.toMatchObject({ ...error, evidence: { path: file } })
    await expect(store.put('r', entry, 2)).rejects.toMatchObject(error)
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    try {
      const fresh = folderRunStore(folder)
      for (let round = 0; round < 3; round++)
        expect((await fresh.list({ limit: 10 })).runs.map(({ runId }) => runId)).toEqual(['other'])
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off('warning', listen)
    }
    expect(warnings).toEqual([expect.objectContaining(error)])
    await store.delete('r')
    await store.put('r', entry, 0)
  },
)

test('a damaged value is invalid_state', async () => {
  const store = folderRunStore(folder)
  await store.setOnce('k', 1)
  const [file = ''] = await filesIn(join(folder, 'keys'))
  await writeFile(file, '{"format":1,"key":"k"')
  await expect(store.find('k')).rejects.toMatchObject({ code: 'invalid_state', evidence: { path: file } })
})

test('what a killed process left over is removed an hour later, by the first write', async () => {
  await withRun()
  for (const name of ['old', 'new']) await writeFile(join(folder, 'parts', name), '')
  await utimes(join(folder, 'parts', 'old'), 0, 0)
  await folderRunStore(folder).setOnce('k', 1)
  expect(await readdir(join(folder, 'parts'))).toEqual(['new'])
})

test('expired values are removed', async () => {
  const store = folderRunStore(folder)
  for (let at = 0; at < 99; at++) await store.setOnce(`expired ${at}`, at, 1)
  await store.setOnce('stays', 1)
  expect((await readdir(join(folder, 'keys'))).length).toBe(1)
})

test('rejects a folder that is not a string', () => {
  // @ts-expect-error: a number is not a folder
  expect(() => folderRunStore(7)).toThrow('folderRunStore')
})
