// The examples of docs/deploy/durable-testing.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { folderRuns, jsonHost } from '@capstan/durable'
import {
  faultSuite,
  type HostUnderTest,
  hostInMemory,
  type Journal,
  journalHost,
  runStateStoreChecks,
} from '@capstan/durable/testing'
import { reply, scriptedModel } from '@capstan/testing'
import { afterAll, describe, expect } from 'vitest'
import * as z from 'zod'
import { testOf } from './in-turn.js'

/** Some of the checks with many runs are made only in `.ci/long`. */
const test = (name: string, run: () => Promise<void>, timeout?: number) => testOf(name)(name, run, timeout)

const folder = await mkdtemp(join(tmpdir(), 'capstan-testing-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

// #region journal
/** A journal in a folder, with one file per step. */
function journalIn(folder: string): Journal {
  mkdirSync(folder)
  const pathOf = (key: string) => join(folder, encodeURIComponent(key))
  return {
    get: (key) => (existsSync(pathOf(key)) ? JSON.parse(readFileSync(pathOf(key), 'utf8')) : undefined),
    set: (key, recorded) => writeFileSync(pathOf(key), JSON.stringify(recorded)),
  }
}
// #endregion

describe('your own host', () => {
  // #region suite
  let journals = 0
  const host: HostUnderTest = hostInMemory(
    (journal, pass) => journalHost(journal, { pass }),
    () => journalIn(join(folder, `journal-${journals++}`)),
  )
  const suite = faultSuite()
  for (const { name, run } of suite.checks(host)) test(name, run, 60_000)
  // #endregion
})

// #region control
test('a host without a journal fails', async () => {
  const forgetful = hostInMemory(undefined, () => ({ get: () => undefined, set: () => undefined }))
  const checks = faultSuite().checks(forgetful)
  const dies = checks.find(({ name }) => name.endsWith('a worker dies, at any point'))
  await expect(dies?.run()).rejects.toThrow('different inputs under one key')
})
// #endregion

describe('your own store', () => {
  let stores = 0
  // #region store
  const makeStore = () => folderRuns(join(folder, `runs-${stores++}`))
  for (const { name, run } of runStateStoreChecks(makeStore)) test(name, run)
  // #endregion
})

// #region json
test('finds a tool result that is too long for an engine', async () => {
  const read = tool({
    name: 'read',
    description: 'Reads the whole log',
    parameters: z.object({}),
    execute: () => 'a line of the log\n'.repeat(20_000),
  })
  const model = scriptedModel([reply.call('read'), reply.text('That is too much.')])
  const result = await new Agent({ model, tools: [read] }).run('Read.', { host: jsonHost })
  expect(result.toolCalls[0]?.content).toContain('bytes long (maxStepBytes: 262144)')
})
// #endregion
