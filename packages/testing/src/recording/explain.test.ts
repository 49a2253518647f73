import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, agentTool, CapstanError, tool } from '@capstan/core'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { explain } from './explain.js'
import { recordRun } from './record.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-explained-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('control characters are escaped as in JSON', async () => {
  const hostile = '\u001b[2J\u009b1A\u202eevil\rRun 9\nRun 10'
  const steps = [reply.fail('rate_limit', { message: hostile }), reply.text(hostile)]
  const file = join(folder, 'hostile.jsonl')
  const agent = new Agent({ name: hostile, model: scriptedModel(steps, { retries: 1 }) })
  await agent.run(hostile, recordRun(file))
  const told = explain(file)
  expect(told).toContain('\\u001b[2J\\u009b1A\\u202eevil')
  expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  // Text from the recording cannot start a new line.
  expect(told.split('\n').filter((line) => line.startsWith('Run 10'))).toEqual([])
})

test('a failure with control characters stays on one line', async () => {
  const file = join(folder, 'failed.jsonl')
  const model = scriptedModel([reply.fail('auth', { message: 'no\u001b[31m\nRun 2 of' })])
  await new Agent({ model }).run('Hi', recordRun(file)).catch(() => {})
  expect(explain(file)).toContain('no\\u001b[31m\\u000aRun 2 of')
})

test('a call of a child agent that succeeded is not called rejected', async () => {
  const file = join(folder, 'child.jsonl')
  const add = tool({
    name: 'add',
    description: 'Adds one',
    parameters: z.object({ to: z.number() }),
    execute: ({ to }) => to + 1,
  })
  const child = new Agent({
    name: 'child',
    model: scriptedModel([reply.call('add', { to: 1 }), reply.text('2')]),
    tools: [add],
  })
  const model = scriptedModel([reply.call('child', { input: 'Add.' }), reply.text('It is 2.')])
  await new Agent({ model, tools: [agentTool(child)] }).run('Add.', recordRun(file))
  expect(explain(file)).toContain('add({"to":1}) answered: 2')
})

test.each([
  [{ type: 'approve' }, 'pay({"amount":12}) ok: paid'],
  [{ type: 'approve', arguments: { amount: 5 } }, 'pay({"amount":5}) ok: paid'],
] as const)('a resumed call has its arguments, decided by %j', async (decision, line) => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([reply.call('pay', { amount: 12 }), reply.text('Done.')])
  const agent = new Agent({ model, tools: [pay] })
  const { state, pending = [] } = await agent.run('Pay.')
  const file = join(folder, `resumed-${line.replace(/\W+/g, '-')}.jsonl`)
  const decisions = { [pending[0]?.callId ?? '']: decision }
  await agent.run(state, { ...recordRun(file), decisions })
  expect(explain(file)).toContain(line)
})

test('rejects a file without runs', () => {
  const file = join(folder, 'empty.jsonl')
  writeFileSync(file, '{"capstan":"recording","version":1}\n')
  expect(() => explain(file)).toThrow(/contains no run/)
})

test('explains or rejects untrusted events', () => {
  const file = join(folder, 'odd.jsonl')
  const recorded = new URL('../../test/recordings/version-1/', import.meta.url)
  let count = 0
  for (const name of readdirSync(recorded).filter((one) => one.endsWith('.jsonl'))) {
    const lines = readFileSync(new URL(name, recorded), 'utf8').trimEnd().split('\n')
    for (const [at, line] of lines.entries()) {
      const parsed = JSON.parse(line)
      for (const field of Object.keys(parsed.event ?? {}))
        for (const value of [undefined, null, 5, [null], { toString: 1 }]) {
          const event = { ...parsed.event, [field]: value }
          writeFileSync(file, `${lines.with(at, JSON.stringify({ ...parsed, event })).join('\n')}\n`)
          count += 1
          try {
            explain(file)
          } catch (error) {
            expect(error, `${field} ${JSON.stringify(value)}`).toBeInstanceOf(CapstanError)
          }
        }
    }
  }
  expect(count).toBeGreaterThan(50)
})
