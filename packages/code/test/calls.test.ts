import { Agent, type AnyTool, type CapstanError, type RunState, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode, programCalls, saveProgram } from '../src/index.js'

const add = tool({
  name: 'add',
  description: 'Adds one.',
  parameters: z.object({ a: z.number() }),
  execute: ({ a }) => {
    if (a === 13) throw new Error('no luck')
    return { sum: a + 1 }
  },
})
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

const hang = tool({
  name: 'hang',
  description: 'Never ends.',
  parameters: z.object({}),
  execute: () => new Promise(() => {}),
})

function agentOf(steps: readonly ScriptStep[], tools: readonly AnyTool[] = [add, pay]) {
  return new Agent({ model: scriptedModel(steps), tools, middleware: [codeMode()] })
}

const program = (code: string, id = 'p') => reply.call('run_program', { code }, { id })
const shown = (of: Parameters<typeof programCalls>[0]) =>
  programCalls(of).map(({ callId, name, status }) => `${callId} ${name} ${status}`)

test('the calls of a program follow it in the result and in its step, as direct ones do', async () => {
  const calls = [
    program('await tools.add({ a: 1 })\nawait tools.add({ a: 13 })'),
    reply.call('add', { a: 5 }),
  ]
  const steps: unknown[] = []
  const agent = agentOf([reply.calls(...calls), reply.text('ok')])
  const result = await agent.run('Go', { onStep: ({ toolCalls }) => steps.push(toolCalls) })
  expect(result.toolCalls.map(({ name, via }) => [name, via])).toEqual([
    ['run_program', undefined],
    ['add', 'run_program'],
    ['add', 'run_program'],
    ['add', undefined],
  ])
  const common = { name: 'add', step: 0, via: 'run_program', parentCallId: 'p', ms: expect.any(Number) }
  expect(programCalls(result)).toEqual([
    {
      ...common,
      callId: 'p/call0',
      status: 'ok',
      arguments: { a: 1 },
      content: '{"sum":2}',
      result: { sum: 2 },
    },
    { ...common, callId: 'p/call1', status: 'error', arguments: { a: 13 }, content: 'Error: no luck' },
  ])
  expect(result.steps[0]?.toolCalls).toEqual(result.toolCalls)
  expect(steps[0]).toEqual(result.toolCalls)
  // Each is counted once.
  expect(result.usage).toMatchObject({ toolCalls: 4, perTool: { run_program: 1, add: 3 } })
  expect(result.steps[0]?.usage).toMatchObject({ toolCalls: 4, perTool: { run_program: 1, add: 3 } })
})

test('a person may change the arguments of a call, and the result has these', async () => {
  const agent = agentOf([program('return await tools.pay({ amount: 9 })'), reply.text('ok')])
  const { state } = await agent.run('Go')
  const decisions = { 'p/call0': { type: 'approve', arguments: { amount: 5 } } } as const
  const result = await agent.run(JSON.parse(JSON.stringify(state)), { decisions })
  expect(programCalls(result)).toMatchObject([
    { callId: 'p/call0', arguments: { amount: 5 }, result: { paid: 5 }, approved: true },
  ])
})

test('a program that a program runs has its calls behind it', async () => {
  const first = await agentOf([program('return (await tools.add({ a: 1 })).sum'), reply.text('ok')]).run('Go')
  const saved = saveProgram(first, { name: 'more', description: 'More.', parameters: { by: 1 } })
  const made = [program('return await tools.more({ by: 41 })'), reply.text('ok')]
  const result = await agentOf(made, [add, saved]).run('Go')
  expect(result.toolCalls.map(({ callId, via, parentCallId }) => [callId, via, parentCallId])).toEqual([
    ['p', undefined, undefined],
    ['p/call0', 'run_program', 'p'],
    ['p/call0/call0', 'more', 'p/call0'],
  ])
})

test('the calls of a program that waits are found before it goes on, and once after it', async () => {
  const code = "await tools.add({ a: 1 })\nawait tools.pay({ amount: 2 })\nreturn 'paid'"
  const agent = agentOf([program(code), reply.text('ok')])
  const first = await agent.run('Go')
  expect(first.toolCalls).toEqual([])
  expect(shown(first)).toEqual(['p/call0 add ok'])
  expect(shown(first.state)).toEqual(['p/call0 add ok'])
  const last = await agent.run(first.state, { decisions: { 'p/call1': { type: 'approve' } } })
  expect(shown(last)).toEqual(['p/call0 add ok', 'p/call1 pay ok'])
})

test('the calls of a program within a program that waits are found before it goes on, and when it is stopped', async () => {
  const done = await agentOf([program('return (await tools.add({ a: 1 })).sum'), reply.text('ok')]).run('Go')
  const [call] = done.toolCalls
  const code = 'await tools.add({ a: 1 }); await tools.pay({ amount: 2 })'
  const waits = { toolCalls: call ? [{ ...call, arguments: { code } } as typeof call] : [] }
  const saved = saveProgram(waits, { name: 'more', description: 'More.', parameters: { a: 1 } })
  const made = [program('await tools.add({ a: 5 }); await tools.more({ a: 3 })')]
  const agent = agentOf(made, [add, pay, saved])
  const { state, ...first } = await agent.run('Go')
  const before = ['p/call0 add ok', 'p/call1/call0 add ok']
  expect(shown({ ...first, state })).toEqual(before)
  expect(shown(state)).toEqual(before)
  const stopped = await agent.run(state, { signal: AbortSignal.abort() })
  expect(shown(stopped)).toEqual([
    ...['p/call0 add ok', 'p/call1 more cut_off'],
    ...['p/call1/call0 add ok', 'p/call1/call1 pay not_run'],
  ])
})

test('a program that is stopped leaves its calls, and those that may have taken effect', async () => {
  const code = 'await tools.add({ a: 1 })\nawait Promise.all([tools.add({ a: 2 }), tools.hang()])'
  const run = agentOf([program(code)], [add, hang]).stream('Go')
  // Once two calls have ended, and the third has not.
  run.on('tool-end', ({ callId }) => void (callId === 'call1' && run.abort()))
  const result = await run.result
  expect(result.stopReason).toBe('aborted')
  const calls = ['p/call0 add ok', 'p/call1 add ok', 'p/call2 hang cut_off']
  expect(shown(result)).toEqual(calls)
  expect(result.toolCalls[0]).toMatchObject({ callId: 'p', status: 'cut_off' })
})

test('a program that is stopped while it waits leaves its calls, and those that did not run', async () => {
  const code = 'await tools.add({ a: 1 })\nawait Promise.all([tools.add({ a: 2 }), tools.pay({ amount: 1 })])'
  const agent = agentOf([program(code)])
  const { state } = await agent.run('Go')
  const result = await agent.run(state, { signal: AbortSignal.abort() })
  expect(shown(result)).toEqual(['p/call0 add ok', 'p/call1 add ok', 'p/call2 pay not_run'])
})

test('a limit that ends a program leaves its calls', async () => {
  const code = 'for (let a = 0; ; a++) await tools.add({ a })'
  const agent = agentOf([program(code), reply.text('ok')])
  const result = await agent.run('Go', { limits: { perTool: { add: 2 } } })
  expect(shown(result)).toEqual(['p/call0 add ok', 'p/call1 add ok', 'p/call2 add not_run'])
})

const stateOf = (run: Promise<unknown>): Promise<RunState> =>
  run.then(
    () => expect.unreachable('the run fails'),
    (error: CapstanError) => JSON.parse(JSON.stringify(error.state)),
  )

test('a run that fails after programs has their calls in its state, until it ends', async () => {
  const fails = reply.fail('auth')
  const first = await stateOf(agentOf([program('await tools.add({ a: 1 })', 'a'), fails]).run('Go'))
  expect(shown(first)).toEqual(['a/call0 add ok'])
  const second = await stateOf(agentOf([program('await tools.add({ a: 13 })', 'b'), fails]).run(first))
  expect(shown(second)).toEqual(['a/call0 add ok', 'b/call0 add error'])
  const last = await agentOf([program('await tools.add({ a: 3 })', 'c'), reply.text('ok')]).run(second)
  expect(shown(last)).toEqual(['c/call0 add ok'])
  expect(shown(last.state)).toEqual([])
})
