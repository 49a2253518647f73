import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Exchange, RunSummary } from '../types.js'
import { runFiles, runFolder, studioFolder } from './run-folder.js'
import { RunStore } from './run-store.js'

function newStore(): RunStore {
  const store = new RunStore(join(mkdtempSync(join(tmpdir(), 'runs-')), '.capstan', 'studio'))
  store.create()
  return store
}

function add(
  store: RunStore,
  id: string,
  fields: Partial<Omit<RunSummary, 'schema'>> & { schema?: number } = {},
): void {
  const folder = runFolder(store.folder, id)
  mkdirSync(folder, { recursive: true })
  const summary = {
    schema: 1,
    id,
    kind: 'run',
    agent: 'traveller',
    title: `Run ${id}`,
    status: 'ended',
    startedAt: `2026-01-01T00:00:0${id.length % 10}.000Z`,
    workedMs: 1,
    rounds: 1,
    steps: 1,
    toolCalls: 0,
    artifacts: [],
    models: ['planner'],
    source: { version: 1, program: 'keepRun', pid: process.pid },
    ...fields,
  }
  writeFileSync(join(folder, runFiles.summary), JSON.stringify(summary))
  writeFileSync(join(folder, runFiles.entries), `${JSON.stringify({ seq: 0, t: 0, round: 1 })}\n`)
}

const ids = async (store: RunStore, filter = {}) => (await store.list(filter)).runs.map(({ id }) => id)

describe('the list', () => {
  test('is filtered and paged, the newest first', async () => {
    const store = newStore()
    add(store, 'a', { tools: ['get_weather'], title: 'Weather in Oslo' })
    add(store, 'bb', { status: 'pending', agent: 'painter' })
    add(store, 'ccc', { status: 'failed', error: { code: 'api', message: 'No credit' } })
    expect(await ids(store)).toEqual(['ccc', 'bb', 'a'])
    expect(await ids(store, { text: 'oslo weather' })).toEqual(['a'])
    expect(await ids(store, { text: 'credit' })).toEqual(['ccc'])
    expect(await ids(store, { tool: 'get_weather' })).toEqual(['a'])
    expect(await ids(store, { status: 'pending', agent: 'painter' })).toEqual(['bb'])
    const first = await store.list({ limit: 2 })
    expect(first.next).toBe('bb')
    expect(await ids(store, { before: first.next })).toEqual(['a'])
  })

  test('changes with the files', async () => {
    const store = newStore()
    add(store, 'a', { status: 'running' })
    expect((await store.get('a'))?.status).toBe('running')
    add(store, 'a', { status: 'ended', steps: 12 })
    expect((await store.list()).runs).toMatchObject([{ status: 'ended', steps: 12 }])
    expect(await store.get('missing')).toBeUndefined()
  })

  test('names a run of another version, and does not open it', async () => {
    const store = newStore()
    add(store, 'a', { schema: 9 })
    expect((await store.list()).runs).toMatchObject([{ id: 'a', title: expect.stringContaining('schema 9') }])
    await expect(store.entries('a')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test.each([
    ['is no JSON', '{"schema":1,"id":"b'],
    ['is empty', ''],
    ['has no source', '{"schema":1,"id":"b","status":"running"}'],
    ['has artifacts that are no list', (text: string) => text.replace('"artifacts":[]', '"artifacts":5')],
    ['has no start', (text: string) => text.replace('"startedAt"', '"began"')],
  ])('names a run whose summary %s, and the others', async (_what, damaged) => {
    const store = newStore()
    add(store, 'a')
    add(store, 'b')
    const path = join(runFolder(store.folder, 'b'), runFiles.summary)
    const text = typeof damaged === 'string' ? damaged : damaged(readFileSync(path, 'utf8'))
    writeFileSync(path, text)
    const { runs } = await store.list()
    expect(runs).toMatchObject([{ id: 'a' }, { id: 'b', title: expect.stringContaining('is damaged') }])
    await expect(store.entries('b')).rejects.toMatchObject({ code: 'unsupported' })
    expect((await store.size()).runs).toBe(2)
    await store.remove('b')
    expect(await ids(store)).toEqual(['a'])
  })
})

test('pins and titles stay when the writer replaces the summary', async () => {
  const store = newStore()
  add(store, 'a')
  await store.change('a', { isPinned: true })
  await store.change('a', { title: 'Mine' })
  add(store, 'a', { steps: 2 })
  expect(await store.get('a')).toMatchObject({ isPinned: true, title: 'Mine', steps: 2 })
  await store.change('a', { isPinned: false })
  expect((await store.get('a'))?.isPinned).toBeUndefined()
})

test('removing a run removes the artifacts that no other run names', async () => {
  const store = newStore()
  const put = (text: string) =>
    store.artifacts.put(Buffer.from(text), { kind: 'text', mediaType: 'text/plain' })
  const [own, shared] = [await put('own'), await put('shared')]
  add(store, 'a', { artifacts: [own.id, shared.id] })
  add(store, 'bb', { artifacts: [shared.id] })
  add(store, 'ccc', { status: 'running' })
  await store.remove('a')
  expect(existsSync(runFolder(store.folder, 'a'))).toBe(false)
  expect((await store.artifacts.list()).map(({ id }) => id)).toEqual([shared.id])
  await expect(store.remove('ccc')).rejects.toMatchObject({ code: 'conflict' })
  await expect(store.remove('a')).rejects.toMatchObject({ code: 'not_found' })
})

test('retention keeps the newest, and pinned, going and waiting runs', async () => {
  const store = newStore()
  add(store, 'a')
  add(store, 'bb', { status: 'pending' })
  add(store, 'ccc', { status: 'running' })
  add(store, 'dddd')
  add(store, 'eeeee')
  await store.change('a', { isPinned: true })
  expect(await store.retain({ runs: 4, bytes: 1e9 })).toEqual(['dddd'])
  expect(await ids(store)).toEqual(['eeeee', 'ccc', 'bb', 'a'])
  expect(await store.retain({ runs: 100, bytes: 1 })).toEqual(['eeeee'])
  expect((await store.size()).runs).toBe(3)
})

test('a run whose process is gone is lost, and tells how it ended once marked', async () => {
  const store = newStore()
  const source = { version: 1, program: 'studio', pid: 2 ** 22 + 1 } as const
  add(store, 'a', { status: 'running', startedAt: new Date().toISOString(), source })
  expect((await store.get('a'))?.status).toBe('lost')
  await store.markLost('a', { exitCode: 3, stderr: 'bye' })
  await store.markLost('a', { exitCode: 4 })
  expect(await store.entries('a')).toEqual([
    { seq: 0, t: 0, round: 1 },
    { seq: 1, t: 0, lost: { exitCode: 3, stderr: 'bye' } },
  ])
  expect(await store.get('a')).toMatchObject({ status: 'lost', endedAt: expect.any(String) })
})

test('ids that are no plain names lead nowhere else', async () => {
  const store = newStore()
  for (const id of ['../../etc', 'a/b', '..', 'x'.repeat(300), 'id-1', '']) {
    expect(runFolder(store.folder, id)).toMatch(/runs\/id-[0-9a-f]{40}$/)
    expect(await store.get(id)).toBeUndefined()
  }
  add(store, 'order/17', { title: 'named' })
  expect((await store.get('order/17'))?.title).toBe('named')
})

test('requests are put together from what they share with earlier ones', async () => {
  const store = newStore()
  add(store, 'a')
  const folder = runFolder(store.folder, 'a')
  const about = {
    at: 'step0/request',
    attempt: 1,
    url: '',
    requestHeaders: {},
    sentAt: 0,
    pieces: [],
    notes: [],
  }
  const first: Exchange = {
    ...about,
    number: 0,
    request: { offset: 0, length: 5 },
    response: { offset: 5, length: 3 },
  }
  const second: Exchange = {
    ...about,
    number: 1,
    request: { sameAs: { exchange: 0, bytes: 4 }, offset: 8, length: 3 },
  }
  writeFileSync(join(folder, runFiles.bytes), 'abcdeANSxyz')
  // If an exchange is written again, the later line counts.
  const lines = [{ ...first, status: 100 }, second, first].map((one) => `${JSON.stringify(one)}\n`)
  writeFileSync(join(folder, runFiles.exchanges), lines.join(''))
  const bytes = async (number: number, part: 'request' | 'response', range = {}) =>
    Buffer.from(await store.exchangeBytes('a', { number, part }, range)).toString()
  expect(await store.exchanges('a')).toEqual([first, second])
  expect(await bytes(0, 'request')).toBe('abcde')
  expect(await bytes(0, 'response')).toBe('ANS')
  expect(await bytes(0, 'response', { from: 1, to: 2 })).toBe('N')
  expect(await bytes(1, 'request')).toBe('abcdxyz')
  expect(await bytes(1, 'request', { from: 3, to: 5 })).toBe('dx')
  await expect(bytes(1, 'response')).rejects.toMatchObject({ code: 'not_found' })
  await expect(bytes(2, 'request')).rejects.toMatchObject({ code: 'not_found' })
})

test('lineage has ancestors and descendants, and how they were made', async () => {
  const store = newStore()
  const put = (text: string, parents: readonly string[] = [], tool = '') =>
    store.artifacts.put(Buffer.from(text), {
      kind: 'image',
      mediaType: 'image/png',
      parents,
      ...(tool ? { origin: { tool, callId: `call_${tool}`, runId: 'a' } } : {}),
    })
  const drawn = await put('drawn', [], 'generate')
  const edited = await put('edited', [drawn.id], 'edit')
  const varied = await put('varied', [edited.id], 'vary')
  const other = await put('other', [drawn.id], 'edit')
  add(store, 'a', { artifacts: [edited.id] })
  const { nodes, edges } = await store.lineage({ run: 'a' })
  expect(nodes.map(({ id }) => id).sort()).toEqual([drawn.id, edited.id, varied.id].sort())
  expect(edges).toContainEqual({
    from: edited.id,
    to: varied.id,
    tool: 'vary',
    callId: 'call_vary',
    run: 'a',
  })
  const about = await store.aboutArtifact(drawn.id)
  expect(about?.children.map(({ id }) => id).sort()).toEqual([edited.id, other.id].sort())
  expect((await store.aboutArtifact(edited.id))?.runs.map(({ id }) => id)).toEqual(['a'])
})

test('the folder is beside the nearest package.json, and git ignores it', () => {
  const root = mkdtempSync(join(tmpdir(), 'project-'))
  writeFileSync(join(root, 'package.json'), '{}')
  mkdirSync(join(root, 'src', 'deep'), { recursive: true })
  const folder = studioFolder(join(root, 'src', 'deep'))
  expect(folder).toBe(join(root, '.capstan', 'studio'))
  new RunStore(folder).create()
  expect(readFileSync(join(root, '.capstan', '.gitignore'), 'utf8')).toBe('*\n')
})
