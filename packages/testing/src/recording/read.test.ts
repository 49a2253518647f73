import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { explain } from './explain.js'
import { recordRun } from './record.js'
import { replayRun } from './replay-run.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-read-'))
})
afterAll(() => rm(folder, { recursive: true }))

const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'seen' })

test.each([
  ['artifacts that are no list', { artifacts: 'img_1' }],
  ['an artifact that is nothing', { artifacts: [null] }],
  ['an artifact without an id', { artifacts: [{ kind: 'image', mediaType: 'image/png' }] }],
  ['spending that is no list', { spent: {} }],
  ['spending that is no number', { spent: [{ images: 'two' }] }],
  ['a whole text that is no artifact', { whole: 5 }],
  ['usage that is a text', { usage: 'much' }],
])('an outcome with %s is an error with its line', async (what, change) => {
  const file = join(folder, `${what}.jsonl`)
  const model = scriptedModel([reply.call('look', {}), reply.text('Fine.')])
  await new Agent({ name: 'desk', model, tools: [look] }).run('Go.', recordRun(file))
  const lines = (await readFile(file, 'utf8')).split('\n')
  const at = lines.findIndex((line) => line.includes('"outcome"'))
  const line = JSON.parse(lines[at] ?? '')
  Object.assign(line.outcome.came, change)
  await writeFile(file, lines.with(at, JSON.stringify(line)).join('\n'))
  const refused = {
    code: 'invalid_request',
    message: expect.stringMatching(`^Line ${at + 1} of .* is not a valid line`),
  }
  await expect(replayRun(file)).rejects.toMatchObject(refused)
  await expect((async () => explain(file))()).rejects.toMatchObject(refused)
})
