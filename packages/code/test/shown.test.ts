// How a program is shown: one step with its source, and its calls inside.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunEvent } from '@capstan/core'
import { recordRun } from '@capstan/testing/recording'
import { expect, onTestFinished, test } from 'vitest'
import { capstan } from '../../cli/test/capstan.js'
import { RunTree } from '../../studio/src/page/model/run-tree.js'
import { telemetry } from '../../telemetry/src/telemetry.js'
import { collect } from '../../telemetry/test/collected.js'
import { code, makeAgent } from './shown-agent.js'

const lines = code.split('\n')

test('the command run shows the calls below their program, and explain its source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-shown-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'run.jsonl')
  await makeAgent().run('Go', recordRun(file))
  const agent = fileURLToPath(new URL('./shown-agent.ts', import.meta.url))
  const [ran, told] = await Promise.all([capstan(['run', agent, 'Go']), capstan(['explain', file])])
  expect([ran.exit, told.exit], ran.err + told.err).toEqual([0, 0])
  expect(ran.err).toMatch(/^✔ run_program \{"code":"const first = await tools\.add.*\n( {2}✔ add .*\n){3}/m)
  const shown = told.out.split('\n').map((line) => line.trim())
  const at = shown.indexOf('run_program runs a program:')
  expect(shown.slice(at, at + 8)).toEqual([
    'run_program runs a program:',
    ...lines.map((line, index) => `${index + 1} | ${line}`),
    'in the program: add({"a":1}) ok',
    'in the program: add({"a":2}) ok',
    'in the program: add({"a":5}) ok',
    'run_program ok: 3',
  ])
})

test('a trace has a span for the program with its source, and its calls below it', async () => {
  const collected = collect()
  await makeAgent().run('Go', telemetry({ content: ['arguments'] }))
  expect(collected.tree()).toBe(
    [
      'invoke_agent adder',
      '  chat scripted',
      '  execute_tool run_program',
      ...Array(3).fill('    execute_tool add'),
      '  chat scripted',
    ].join('\n'),
  )
  const program = collected.spans().find(({ name }) => name.endsWith('run_program'))
  expect(JSON.parse(String(program?.attributes['gen_ai.tool.call.arguments']))).toEqual({ code })
  expect(collected.open.size).toBe(0)
})

test('the studio has the calls below the program, which has its source', async () => {
  const tree = new RunTree()
  let seq = 0
  await makeAgent().run('Go', {
    observe: (event: RunEvent) => tree.add({ seq, t: seq++, event: { ...event } }),
  })
  const program = tree.call('p')
  expect(program).toMatchObject({ name: 'run_program', arguments: { code }, status: 'ok', content: '3' })
  const names = program?.children.flatMap(({ children }) =>
    children.map((one) => (one.kind === 'call' ? `${one.name} ${one.status}` : one.kind)),
  )
  expect(names).toEqual(Array(3).fill('add ok'))
})
