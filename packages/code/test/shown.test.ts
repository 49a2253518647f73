// How a program is shown: one step with its source, and its calls inside.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, agentTool, type RunEvent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { recordRun } from '@capstan/testing/recording'
import { expect, onTestFinished, test } from 'vitest'
import { capstan } from '../../cli/test/capstan.js'
import { oneLine } from '../../studio/src/page/model/format.js'
import { describe, rowsOf, sourceOf } from '../../studio/src/page/model/rows.js'
import { RunTree } from '../../studio/src/page/model/run-tree.js'
import type { EntryContent } from '../../studio/src/types.js'
import { telemetry } from '../../telemetry/src/telemetry.js'
import { collect } from '../../telemetry/test/collected.js'
import { codeMode, saveProgram } from '../src/index.js'
import { add, code, makeAgent, makePayer, makeSaver, payCode, savedCode } from './shown-agent.js'

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

test('the command chat shows the calls below their program', async () => {
  const agent = fileURLToPath(new URL('./shown-agent.ts', import.meta.url))
  const { exit, out, err } = await capstan(['chat', agent], { input: 'Go\n' })
  expect([exit, out], err).toEqual([0, 'Three.\n'])
  expect(err).toMatch(/^✔ run_program \{"code":"const first = await tools\.add.*\n( {2}✔ add .*\n){3}/m)
})

test('the commands show a saved program with its parameters and its source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-saved-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'run.jsonl')
  await (await makeSaver()).run('Go', recordRun(file))
  const agent = fileURLToPath(new URL('./saved-agent.ts', import.meta.url))
  const [ran, chatted, told] = await Promise.all([
    capstan(['run', agent, 'Go']),
    capstan(['chat', agent], { input: 'Go\n' }),
    capstan(['explain', file]),
  ])
  expect([ran.exit, chatted.exit, told.exit], ran.err + chatted.err + told.err).toEqual([0, 0, 0])
  for (const { err } of [ran, chatted]) {
    expect(err).toMatch(/^✔ add_twice const args = \{"a":7\}; const first = await.*\n( {2}✔ add .*\n){3}/m)
    expect(err).not.toContain('program-runs')
  }
  const shown = told.out.split('\n').map((line) => line.trim())
  const at = shown.indexOf('add_twice runs a program:')
  expect(shown.slice(at, at + 8)).toEqual([
    'add_twice runs a program:',
    ...savedCode.split('\n').map((line, index) => `${index + 1} | ${line}`),
    'in the program: add({"a":1}) ok',
    'in the program: add({"a":2}) ok',
    'in the program: add({"a":7}) ok',
    'add_twice({"a":7}) ok: 3',
  ])
  expect(told.out).not.toContain('program-runs')
})

test('the span of a saved program has its source, where arguments are recorded', async () => {
  for (const content of [['arguments'], []] as const) {
    const collected = collect()
    await (await makeSaver()).run(
      'Go',
      telemetry({ content: [...content], tracerProvider: collected.tracerProvider }),
    )
    const { attributes = {}, events } =
      collected.spans().find(({ name }) => name === 'execute_tool add_twice') ?? {}
    expect(attributes['gen_ai.tool.call.arguments']).toBe(content.length > 0 ? '{"a":7}' : undefined)
    expect(attributes['capstan.program.source']).toBe(content.length > 0 ? savedCode : undefined)
    expect(events).toEqual([])
  }
})

/** Runs an agent, and adds what happens to a tree at once, as the page does. */
function inTree() {
  const tree = new RunTree()
  let seq = 0
  const add = (content: EntryContent) => tree.add({ seq, t: seq++, ...content })
  return { tree, add, observe: (event: RunEvent) => add({ event: { ...event } }) }
}

/** The rows of a tree as indented lines. */
function rowsIn(tree: RunTree): string[] {
  return rowsOf(tree, new Set()).map(({ node, level }) => {
    const { title, detail } = describe(node)
    return `${'  '.repeat(level - 1)}${title} ${node.kind === 'call' ? `${detail} ` : ''}${node.status}`
  })
}

test('the studio shows a program as one row with its source, and its calls directly below', async () => {
  const { tree, observe } = inTree()
  await makeAgent().run('Go', { observe })
  const program = tree.call('p')
  expect(program).toMatchObject({ name: 'run_program', isProgram: true, status: 'ok', content: '3' })
  expect(program && sourceOf(program)).toBe(code)
  expect(rowsIn(tree)).toEqual([
    'step 0 ok',
    `  run_program ${oneLine(code, 80)} ok`,
    '    add {"a":1} ok',
    '    add {"a":2} ok',
    '    add {"a":5} ok',
    'step 1 ok',
    'end ok',
  ])
  expect(program?.children.map((one) => one.kind === 'call' && one.content)).toEqual(['2', '3', '6'])
})

test('the studio shows a call of a program that waits with its sources, its decision and its end', async () => {
  const { tree, add, observe } = inTree()
  const agent = makePayer()
  const { state, pending = [] } = await agent.run('Pay', { observe })
  const waiting = [
    'step 0 waiting',
    `  run_program ${oneLine(payCode, 80)} running`,
    '    read_page {} ok',
    '    tainted note',
    '    pay {"to":"ada","amount":12} waiting',
    'end waiting',
  ]
  expect(rowsIn(tree)).toEqual(waiting)
  expect(tree.waiting).toEqual([tree.call('p/call1')])
  expect(tree.waiting[0]?.pending?.reason).toContain('Sources: to from read_page (call0, not trusted)')
  const decisions = { [String(pending[0]?.callId)]: { type: 'approve' as const } }
  add({ round: 1, decisions })
  await agent.run(state, { decisions, observe })
  expect(tree.waiting).toEqual([])
  expect(rowsIn(tree)).toEqual([
    'step 0 ok',
    `  run_program ${oneLine(payCode, 80)} ok`,
    '    read_page {} ok',
    '    tainted note',
    '    pay {"to":"ada","amount":12} ok',
    'end note',
    'decided note',
    'tainted note',
    'step 1 ok',
    'end ok',
  ])
})

test('the studio shows a saved program and an agent within a program, and their requests where they were made', async () => {
  const saved = saveProgram(await makeAgent().run('Go'), {
    name: 'add_five',
    description: 'Adds',
    parameters: { a: 5 },
  })
  const painter = new Agent({ name: 'painter', model: scriptedModel([reply.text('Grey.')]) })
  const paint = agentTool(painter, { name: 'paint', description: 'Paints' })
  const made = [
    reply.calls(
      reply.call('add_five', { a: 7 }, { id: 's' }),
      reply.call('run_program', { code: "return tools.paint({ input: 'Oslo' })" }, { id: 'p' }),
    ),
    reply.text('Done.'),
  ]
  const agent = new Agent({
    name: 'adder',
    model: scriptedModel(made),
    tools: [saved, paint, add],
    middleware: [codeMode({ keep: ['add_five'] })],
  })
  const { tree, add: addEntry, observe } = inTree()
  await agent.run('Go', { observe })
  addEntry({ exchange: 4, is: 'sent' })
  const shown = tree.call('s')
  expect(shown && [sourceOf(shown), shown.arguments]).toEqual([savedCode, { a: 7 }])
  tree.placeExchanges([{ number: 4, at: 'step0/child1/step0/child0/step0/request' }])
  expect(rowsIn(tree)).toEqual([
    'step 0 ok',
    '  add_five {"a":7} ok',
    '    add {"a":1} ok',
    '    add {"a":2} ok',
    '    add {"a":7} ok',
    "  run_program return tools.paint({ input: 'Oslo' }) ok",
    '    paint agent painter ok',
    '      step 0 ok',
    '        request 4 running',
    'step 1 ok',
    'end ok',
  ])
})
