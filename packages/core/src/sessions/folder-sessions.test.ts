import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import type { Message } from '../types/message.js'
import { folderSessions } from './folder-sessions.js'

let root = ''
let folder = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-sessions-'))
  folder = join(root, 'made', 'late')
})
afterEach(() => rm(root, { recursive: true }))

const say = (...texts: string[]): Message[] => texts.map((content) => ({ role: 'user', content }))
const pathOfOnly = async () => join(folder, (await readdir(folder))[0] ?? '')
const textsOf = async (id: string) => (await folderSessions(folder).load(id)).messages.map((m) => m.content)

/** A session of three appends, and where each line ends in its file. */
async function stored(): Promise<{ path: string; text: string; ends: number[] }> {
  const sessions = folderSessions(folder)
  await sessions.append('s', say('a', 'b'), 0)
  await sessions.append('s', say('ç'), 2)
  await sessions.append('s', say('d'), 3)
  const path = await pathOfOnly()
  const text = await readFile(path, 'utf8')
  const lines = text.split('\n').slice(0, -1)
  const ends = lines.map((_, at) => Buffer.byteLength(`${lines.slice(0, at + 1).join('\n')}\n`))
  return { path, text, ends }
}

/** The requests to the operating system for files and hashes that work makes, by their kind. */
async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (/^(FSREQ|FILEHANDLECLOSEREQ|HASHREQUEST)/.test(type)) count++
    },
  }).enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return count
}

test('a first turn makes nine requests for files', async () => {
  const sessions = folderSessions(folder)
  await sessions.append('other', say('a'), 0)
  const turn = async () => {
    const { version } = await sessions.load('s')
    await sessions.append('s', say('a', 'b'), version)
  }
  expect(await requestsOf(turn)).toBeLessThanOrEqual(9)
})

test('a list makes four requests for each file, many at the same time', async () => {
  const sessions = folderSessions(folder)
  for (let at = 0; at < 50; at++) await sessions.append(`s${at}`, say('a'), 0)
  expect(await requestsOf(() => sessions.list())).toBeLessThanOrEqual(50 * 4 + 1)
  expect(await sessions.list()).toHaveLength(50)
})

test('the folder is made by the first append, and not before', async () => {
  const sessions = folderSessions(folder)
  expect(await sessions.list()).toEqual([])
  expect(await sessions.load('s')).toEqual({ id: 's', version: 0, messages: [] })
  await sessions.delete('s')
  await expect(sessions.append('s', say('a'), 1)).rejects.toMatchObject({ code: 'conflict' })
  expect(await sessions.append('s', [], 0)).toBe(0)
  expect(await readdir(root)).toEqual([])
  await sessions.append('s', say('a'), 0)
  expect(await readdir(folder)).toHaveLength(1)
})

test('an append is one line, of which the first has the id', async () => {
  const { text } = await stored()
  const lines = text.split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    v: 1,
    id: 's',
    at: 0,
    by: expect.any(String),
    time: expect.any(Number),
    messages: say('a', 'b'),
  })
})

test('the name of a file can be read, and no id leads out of the folder', async () => {
  const sessions = folderSessions(folder)
  for (const id of ['User 42: Ärger', '../../escape', '..', '世'.repeat(200)])
    await sessions.append(id, say(id), 0)
  const names = (await readdir(folder)).map((name) => name.replace(/[0-9a-f]{32}/, '(hash)')).sort()
  expect(names).toEqual([
    'session-(hash).jsonl',
    'session-(hash).jsonl',
    'session-escape-(hash).jsonl',
    'session-user-42-rger-(hash).jsonl',
  ])
  expect(await readdir(root)).toEqual(['made'])
})

test('cut off at any byte, a session has what was whole, and continues from there', async () => {
  const { path, text, ends } = await stored()
  for (let cut = 0; cut <= Buffer.byteLength(text); cut++) {
    if (!isTried(cut, ends)) continue
    await writeFile(path, text)
    await truncate(path, cut)
    const whole = ['a', 'b', 'ç', 'd'].slice(0, [0, 2, 3, 4][ends.filter((end) => end <= cut).length])
    expect(await textsOf('s')).toEqual(whole)
    const sessions = folderSessions(folder)
    await sessions.append('s', say('x'), whole.length)
    await sessions.append('s', say('y'), whole.length + 1)
    expect(await textsOf('s')).toEqual([...whole, 'x', 'y'])
  }
})

/** Every byte in `.ci/long`; else some, and those around the end of a line. */
const isTried = (cut: number, ends: readonly number[]) =>
  isLong || cut % 20 === 0 || ends.some((end) => Math.abs(end - cut) <= 2)

test('behind what was cut off a mark ends its line, so that it never becomes whole', async () => {
  const { path, text } = await stored()
  await truncate(path, Buffer.byteLength(text) - 1)
  await folderSessions(folder).append('s', say('x'), 3)
  const [mark, line] = (await readFile(path, 'utf8')).slice(text.length - 1).split('\n')
  expect(mark).toBe(' (cut off)')
  expect(JSON.parse(line ?? '')).toMatchObject({ at: 3, messages: say('x') })
})

test.each([
  ['nothing', ''],
  ['empty lines', '\n\n\n'],
  ['a line that was cut off', '{"v":1,"id":"s","at":2,"by":"x","time":1,"messages":[{"role":"us\n'],
  ['what is no JSON', 'hello\n\0\0\0\n'],
  ['JSON of others', '[]\nnull\n5\n{"v":1}\n{"v":7,"level":30}\n{"id":"s"}\n{"id":"s","v":1,"at":0}\n'],
  ['a line of another session', '{"v":1,"id":"t","at":2,"by":"x","time":1,"messages":[{}]}\n'],
  ['the line of a writer that lost', '{"v":1,"id":"s","at":0,"by":"x","time":1,"messages":[{},{},{}]}\n'],
])('a file with %s between its lines reads as it did', async (_what, between) => {
  const { path, text } = await stored()
  await writeFile(path, text.replaceAll('\n', `\n${between}`))
  expect(await textsOf('s')).toEqual(['a', 'b', 'ç', 'd'])
  await folderSessions(folder).append('s', say('e'), 4)
  expect(await textsOf('s')).toEqual(['a', 'b', 'ç', 'd', 'e'])
  expect(await folderSessions(folder).list()).toMatchObject([{ id: 's', version: 5 }])
})

test('a file saved with the line ends of Windows reads as it did', async () => {
  const { path, text } = await stored()
  await writeFile(path, text.replaceAll('\n', '\r\n'))
  expect(await textsOf('s')).toEqual(['a', 'b', 'ç', 'd'])
})

test('an empty file is a session that is not there, and can be begun', async () => {
  const { path } = await stored()
  await writeFile(path, '')
  expect(await textsOf('s')).toEqual([])
  expect(await folderSessions(folder).list()).toEqual([])
  expect(await folderSessions(folder).append('s', say('a'), 0)).toBe(1)
  expect(await readdir(folder)).toHaveLength(1)
})

test('of two lines for one version the first in the file counts', async () => {
  const { path, text } = await stored()
  await appendFile(path, text.split('\n')[2]?.replace('"d"', '"late"').concat('\n') ?? '')
  expect(await textsOf('s')).toEqual(['a', 'b', 'ç', 'd'])
})

test('a session of a newer format is refused and left as it is, but told and deleted', async () => {
  const { path } = await stored()
  await appendFile(path, '{"v":2,"id":"s","anything":true}\n')
  const before = await readFile(path, 'utf8')
  const sessions = folderSessions(folder)
  const refused = {
    code: 'invalid_state',
    message: expect.stringContaining('format 2'),
    evidence: { id: 's', path },
  }
  await expect(sessions.load('s')).rejects.toMatchObject(refused)
  await expect(sessions.append('s', say('x'), 4)).rejects.toMatchObject(refused)
  expect(await readFile(path, 'utf8')).toBe(before)
  expect(await sessions.list()).toMatchObject([{ id: 's', version: 4 }])
  await sessions.delete('s')
  expect(await readdir(folder)).toEqual([])
})

test('a session that lost a line in its middle is refused, not shortened', async () => {
  const { path, text } = await stored()
  const lines = text.split('\n')
  await writeFile(path, [lines[0], lines[2], ''].join('\n'))
  const sessions = folderSessions(folder)
  const refused = {
    code: 'invalid_state',
    message:
      'Cannot read session "s": messages 3 to 3 are missing from its file, but later ones exist. Restore the file from a copy, or delete the session.',
  }
  await expect(sessions.load('s')).rejects.toMatchObject(refused)
  await expect(sessions.append('s', say('x'), 2)).rejects.toMatchObject(refused)
  expect(await sessions.list()).toMatchObject([{ id: 's', version: 2 }])
})

test('other files in the folder are none of its sessions', async () => {
  const { path, text } = await stored()
  await copyFile(path, join(folder, 'backup.jsonl'))
  await writeFile(join(folder, 'notes.txt'), text)
  expect(await folderSessions(folder).list()).toHaveLength(1)
})

test('what cannot be read is left out of the list, and a warning says so', async () => {
  await stored()
  await mkdir(join(folder, 'session-odd.jsonl'))
  const warned = once(process, 'warning')
  expect(await folderSessions(folder).list()).toMatchObject([{ id: 's', version: 4 }])
  expect(await warned).toMatchObject([{ code: 'EISDIR' }])
})

test('of two stores that add at once one wins; the other is told what there is, and its messages stay with it', async () => {
  const stores = [folderSessions(folder), folderSessions(folder)]
  for (let version = 0; version < 60; version += 2) {
    const appends = stores.map((store, at) => store.append('s', say(`${at}`, `${at}`), version))
    const outcomes = await Promise.allSettled(appends)
    const evidence = { id: 's', expectedVersion: version, version: version + 2, messages: 2 }
    const lost = expect.objectContaining({ code: 'conflict', retryable: false, evidence })
    expect(outcomes).toContainEqual({ status: 'fulfilled', value: version + 2 })
    expect(outcomes).toContainEqual({ status: 'rejected', reason: lost })
    const winner = `${outcomes.findIndex(({ status }) => status === 'fulfilled')}`
    expect((await textsOf('s')).slice(version)).toEqual([winner, winner])
  }
})

test('an append that meets a line that is being cut off is written again', async () => {
  const sessions = folderSessions(folder)
  await sessions.append('s', say('0'), 0)
  const path = await pathOfOnly()
  let version = 1
  // Until a cut line got between the read and the write of an append: later from round to round.
  while (!(await readFile(path, 'utf8')).includes('"at{"v"')) {
    const appending = sessions.append('s', say(`${version}`), version)
    for (let tick = version % 100; tick > 0; tick--) await new Promise(setImmediate)
    appendFileSync(path, '{"v":1,"id":"s","at')
    version = await appending
  }
  expect(await textsOf('s')).toEqual(Array.from({ length: version }, (_, n) => `${n}`))
})

test('an append to a session that is deleted meanwhile is made in full, or is a conflict', async () => {
  const [one, other] = [folderSessions(folder), folderSessions(folder)]
  for (let round = 0; round < 60; round++) {
    const { version } = await one.load('s')
    const [, , appended] = await Promise.allSettled([
      other.delete('s').then(() => other.append('s', say('new'), 0)),
      other.list(),
      one.append('s', say('old', 'old'), version),
    ])
    if (appended.status === 'rejected') expect(appended.reason).toMatchObject({ code: 'conflict' })
    const texts = await textsOf('s')
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.length).toBe((await one.list())[0]?.version)
  }
})
