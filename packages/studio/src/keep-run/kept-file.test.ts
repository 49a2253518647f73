import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { runFiles, runFolder } from '../store/run-folder.js'
import { keepRun } from './keep-run.js'
import { KeptFiles } from './kept-file.js'

test('what is appended close together is written together, and told once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'))
  let told = 0
  let flushed = () => {}
  const isFlushed = new Promise<void>((done) => {
    flushed = done
  })
  const onFlushed = () => {
    told += 1
    flushed()
  }
  const onError = (error: unknown) => {
    throw error
  }
  const files = new KeptFiles({ onFlushed, onError })
  const [bytes, lines] = [files.open(join(folder, 'bytes')), files.open(join(folder, 'lines'))]
  for (let number = 0; number < 3; number++)
    lines.appendLine({ number, ...bytes.append(Buffer.from(`body ${number} `)) })
  expect(readFileSync(join(folder, 'lines'), 'utf8')).toBe('')
  await isFlushed
  expect(told).toBe(1)
  expect(readFileSync(join(folder, 'bytes'), 'utf8')).toBe('body 0 body 1 body 2 ')
  const written = readFileSync(join(folder, 'lines'), 'utf8').trim().split('\n')
  expect(written.map((line) => JSON.parse(line).offset)).toEqual([0, 7, 14])
  files.close()
})

test('a call is on disk before its function runs, with the state from which it can be repeated', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'kept-')), '.capstan', 'studio')
  const seen: string[] = []
  const read = (name: string) => readFileSync(join(runFolder(folder, 'one'), name), 'utf8')
  const blocks = tool({
    name: 'blocks',
    description: 'May block for ever',
    parameters: z.object({}),
    execute() {
      seen.push(read(runFiles.entries), read(runFiles.checkpoints))
      return 'done'
    },
  })
  const agent = new Agent({
    model: scriptedModel([reply.call('blocks'), reply.text('Done.')]),
    tools: [blocks],
  })
  await agent.run('Go.', { ...keepRun({ folder }), runId: 'one' })
  const [entries = '', states = ''] = seen
  expect(entries).toContain('"type":"tool-start"')
  expect(states).toContain('"tool_calls"')
})
