import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { recordModel, recordRun } from './record.js'
import { replayModel } from './replay-model.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-line-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)
const say = (words: string) => new Agent({ model: scriptedModel([reply.text(words)]) })

test('a file has one recorder; a second is rejected, however the path is written', () => {
  const file = newFile()
  recordRun(file)
  for (const again of [() => recordRun(relative('.', file)), () => recordModel(file, scriptedModel([]))])
    expect(again).toThrow(expect.objectContaining({ code: 'conflict' }))
})

test('after disposal the file starts again, and late lines are rejected', async () => {
  const file = newFile()
  const first = recordRun(file)
  await say('one').run('Hi', first)
  first[Symbol.dispose]()
  await say('two').run('Hi', recordRun(file))
  expect((await replayRun(file)).map(({ text: said }) => said)).toEqual(['two'])
  await expect(say('three').run('Hi', first)).rejects.toThrow(/was disposed/)
  first[Symbol.dispose]()
  expect(() => recordRun(file)).toThrow(/already being recorded/)
})

test('a write error is not a failure of the model, and its lines are written later', async () => {
  const file = newFile()
  let before = ''
  const breaks = tool({
    name: 'breaks',
    description: 'Puts a folder in the place of the file',
    parameters: z.object({}),
    execute() {
      before = readFileSync(file, 'utf8')
      rmSync(file)
      mkdirSync(file)
      return 'done'
    },
  })
  const model = recordModel(file, scriptedModel([reply.call('breaks'), reply.text('All is well.')]))
  await expect(new Agent({ model, tools: [breaks] }).run('Go.')).rejects.toThrow(/Cannot record into/)
  rmdirSync(file)
  writeFileSync(file, before)
  model.flush()
  expect(readFileSync(file, 'utf8')).not.toContain('"failure"')
  const { text: said } = await new Agent({
    model: replayModel(file),
    tools: [{ ...breaks, execute: () => 'done' }],
  }).run('Go.')
  expect(said).toBe('All is well.')
})
