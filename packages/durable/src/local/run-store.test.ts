import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runStateStoreChecks } from '../testing/store-checks.js'
import { folderRuns } from './folder-runs.js'
import { memoryRuns } from './memory-runs.js'
import { persistent } from './persistent-agent.js'
import type { RunRecord } from './run-store.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
})
afterAll(() => rm(root, { recursive: true }))

let folders = 0
const freshFolder = () => join(root, `runs-${folders++}`)

describe('in memory', () => {
  for (const { name, run } of runStateStoreChecks(memoryRuns)) test(name, run)
})

describe('in a folder', () => {
  for (const { name, run } of runStateStoreChecks(() => folderRuns(freshFolder()))) test(name, run)
})

describe('in a folder, with a new store object for each call', () => {
  const anew = () => {
    const folder = freshFolder()
    const store = () => folderRuns(folder)
    return {
      load: (id: string) => store().load(id),
      save: (id: string, run: RunRecord, version: number) => store().save(id, run, version),
      delete: (id: string) => store().delete(id),
      list: () => store().list(),
    }
  }
  for (const { name, run } of runStateStoreChecks(anew)) test(name, run)
})

const run = { phase: 'running', attempts: 1 } as RunRecord

test('a run in a folder leaves two files, and incomplete files are ignored', async () => {
  const folder = freshFolder()
  const store = folderRuns(folder)
  let version = 0
  for (let round = 0; round < 5; round++)
    version = await store.save('r', { ...run, attempts: round }, version)
  const files = await readdir(folder)
  expect(files).toHaveLength(2)
  await writeFile(join(folder, `${files[0]?.split('.')[0]}.some.part`), '{"half')
  expect((await store.load('r'))?.run.attempts).toBe(4)
  expect(await store.list()).toEqual(['r'])
})

test('only the owner can read the files of runs and their folder', async () => {
  const folder = freshFolder()
  const umask = process.umask(0o022)
  onTestFinished(() => void process.umask(umask))
  await folderRuns(folder).save('r', run, 0)
  const [file = ''] = await readdir(folder)
  const modes = [await stat(folder), await stat(join(folder, file))].map(({ mode }) => mode & 0o777)
  // Windows has no file modes.
  if (process.platform !== 'win32') expect(modes).toEqual([0o700, 0o600])
})

test('a damaged run is an error that names its file', async () => {
  const folder = freshFolder()
  const store = folderRuns(folder)
  await store.save('r', run, 0)
  const [file = ''] = await readdir(folder)
  for (const text of ['{"form', '', '[]', '{"format":2,"runId":"r","run":{}}']) {
    await writeFile(join(folder, file), text)
    await expect(store.load('r')).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining(file),
    })
  }
  await store.delete('r')
  expect(await store.load('r')).toBeUndefined()
})

test('passes on the error of a write that fails', async () => {
  const folder = freshFolder()
  await writeFile(folder, 'no folder')
  await expect(folderRuns(folder).save('r', run, 0)).rejects.toMatchObject({ code: 'ENOTDIR' })
})

const answerer = () =>
  new Agent({ name: 'answerer', model: scriptedModel([reply.text('Hi.'), reply.text('Hi.')]) })

test.each<[string, (text: string) => string, string]>([
  ['that is cut off', (text) => text.slice(0, -9), 'incomplete'],
  ['without its state', (text) => text.replace('"state"', '"stale"'), 'state'],
  [
    'whose state has no number of steps',
    (text) => text.replace('"stepCount":1', '"stepCount":"1"'),
    'state/stepCount',
  ],
  ['whose usage is a list', (text) => text.replace('"usage":{', '"usage":[],"was":{'), 'state/usage'],
  ['of an unknown phase', (text) => text.replace('"phase":"ended"', '"phase":"over"'), 'phase'],
  ['that ended without a result', (text) => text.replace('"end"', '"and"'), 'it has no result'],
  [
    'whose result has no steps',
    (text) => text.replace('"steps":[', '"stops":['),
    'end does not fit required',
  ],
  [
    'with the state of another',
    (text) => text.replace('{"schema":1,"runId":"a"', '{"schema":1,"runId":"b"'),
    'state',
  ],
  ['of another id', (text) => text.replace('"runId":"a"', '"runId":"b"'), 'not a run'],
  ['of a newer format', (text) => text.replace('"format":1', '"format":2'), 'format 2'],
])('a run %s is an error of its own, and others are listed', async (_what, damage, why) => {
  const folder = freshFolder()
  const runs = persistent(answerer(), { store: folderRuns(folder), pollMs: 1 })
  await runs.run('Go.', { runId: 'a' })
  const [file = ''] = (await readdir(folder)).sort().slice(-1)
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  expect(damage(text)).not.toBe(text)
  await writeFile(path, damage(text))
  await runs.run('Go.', { runId: 'c' })
  const error = { code: 'invalid_state', message: expect.stringContaining(why) }
  await expect(runs.status('a')).rejects.toMatchObject(error)
  await expect(runs.result('a')).rejects.toMatchObject(error)
  await expect(runs.abort('a')).rejects.toMatchObject(error)
  const warned: Error[] = []
  const note = (warning: Error) => void warned.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const list = await runs.list()
  await new Promise(setImmediate)
  expect(list.runs).toMatchObject([{ runId: 'c', phase: 'ended' }])
  // If the file does not contain the run's id, a warning names the file.
  if (list.damaged) expect(list.damaged).toMatchObject([{ runId: 'a', error }])
  else expect(warned).toMatchObject([{ code: 'invalid_state', evidence: { path } }])
})
