import { Agent, agentTool, CapstanError, type RunEvent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Pool } from 'pg'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { durable, startWorker } from '../../src/dbos.js'
import { test, usePostgres } from '../postgres.js'
import { add, keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

function payer(
  ran: unknown[],
  said = [reply.call('pay', { amount: 12 }, { id: 'c1' }), reply.text('Paid.')],
) {
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: (args, { idempotencyKey }) => {
      ran.push([args, idempotencyKey])
      return 'paid'
    },
  })
  return new Agent({ name: 'payer', model: scriptedModel(said), tools: [pay] })
}

test('stores and executes a run, with the result of the agent', async () => {
  const agent = new Agent({
    name: 'calculator',
    model: scriptedModel([reply.call('add', { a: 1, b: 2 }), reply.text('Three.')]),
    tools: [add],
  })
  const runs = kept(agent)
  await working(runs, { id: 'w1' })
  const result = await runs.run('What is 1 + 2?', { runId: 'first' })
  expect(result).toMatchObject({ stopReason: 'done', text: 'Three.', state: { runId: 'first' } })
  expect(result.toolCalls).toMatchObject([{ name: 'add', status: 'ok', result: 3 }])
  expect(result.orThrow()).toBe(result)
  expect(result.messages).toBe(result.state.messages)
  expect(await runs.status('first')).toMatchObject({
    phase: 'ended',
    stopReason: 'done',
    stepCount: 2,
    attempts: 1,
    worker: 'w1',
  })
  expect(await runs.run('What is 1 + 2?', { runId: 'first' })).toMatchObject({ text: 'Three.' })
  await expect(runs.run('What is 2 + 2?', { runId: 'first' })).rejects.toMatchObject({ code: 'conflict' })
  await expect(runs.status('second')).rejects.toMatchObject({ code: 'not_found' })
})

test('a run started without a worker is executed once one starts', async () => {
  const runs = kept(new Agent({ model: scriptedModel([reply.text('Here.')]) }))
  const id = await runs.start('Is anybody there?')
  expect(await runs.status(id)).toMatchObject({ phase: 'queued', attempts: 0 })
  await working(runs)
  expect((await runs.result(id)).text).toBe('Here.')
})

test('events of a run reach other processes while it runs', async () => {
  const agent = new Agent({
    name: 'calculator',
    model: scriptedModel([reply.call('add', { a: 1, b: 2 }), reply.text('It is three.')]),
    tools: [add],
  })
  const runs = kept(agent)
  await working(runs)
  const run = runs.stream('What is 1 + 2?')
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  expect((await run.result).text).toBe('It is three.')
  const types = events.map(({ type }) => type)
  expect(types).toEqual(
    expect.arrayContaining(['run-start', 'tool-start', 'tool-end', 'text-delta', 'run-end']),
  )
  expect(types.at(-1)).toBe('run-end')
  expect(events.every(({ runId }) => runId === run.runId)).toBe(true)
})

test('a child agent is a separate run, and its events have the path of the call', async () => {
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('add', { a: 2, b: 2 }), reply.text('Four.')]),
    tools: [add],
  })
  const outer = new Agent({
    name: 'outer',
    model: scriptedModel([
      reply.calls(
        reply.call('inner', { input: 'What is 2 + 2?' }, { id: 'c1' }),
        reply.call('add', { a: 1, b: 1 }, { id: 'c2' }),
      ),
      reply.text('Four and two.'),
    ]),
    tools: [agentTool(inner), add],
  })
  const runs = kept(outer)
  await working(runs)
  const run = runs.stream('Go.')
  const paths = new Set<string | undefined>()
  for await (const { parentCallId } of run) paths.add(parentCallId)
  const result = await run.result
  expect(result.text).toBe('Four and two.')
  expect(result.toolCalls).toMatchObject([
    { name: 'inner', result: 'Four.' },
    { name: 'add', result: 2 },
  ])
  expect(paths).toEqual(new Set([undefined, 'c1']))
})

test('a pending call uses no worker, and the run continues after approval with its earlier calls', async () => {
  const ran: unknown[] = []
  const runs = kept(payer(ran))
  await working(runs, { concurrency: 1 })
  const waits = await runs.run('Pay.', { runId: 'bill' })
  expect(waits).toMatchObject({
    stopReason: 'pending',
    pending: [{ callId: 'c1', arguments: { amount: 12 } }],
  })
  expect(await runs.status('bill')).toMatchObject({ phase: 'pending', pending: [{ callId: 'c1' }] })
  await expect(runs.decide('bill', 'c2', { type: 'approve' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const wrong = { type: 'approve', arguments: { amount: 'much' } } as const
  await expect(runs.decide('bill', 'c1', wrong)).rejects.toMatchObject({ code: 'invalid_arguments' })
  await runs.decide('bill', 'c1', { type: 'approve' })
  await runs.decide('bill', 'c1', { type: 'approve' })
  await expect(runs.decide('bill', 'c1', { type: 'deny', reason: 'no' })).rejects.toMatchObject({
    code: 'conflict',
  })
  // result() waits for the segment after the decision.
  const result = await runs.result('bill')
  expect(result).toMatchObject({ text: 'Paid.', toolCalls: [{ name: 'pay', status: 'ok', result: 'paid' }] })
  expect(ran).toEqual([[{ amount: 12 }, 'bill/step0/call0']])
})

test('a decision given before the run waits, without a worker, is not lost', async () => {
  const ran: unknown[] = []
  const runs = kept(payer(ran))
  await runs.start('Pay.', { runId: 'early' })
  await runs.decide('early', 'c1', { type: 'approve' })
  await working(runs)
  await expect.poll(() => runs.status('early')).toMatchObject({ phase: 'ended' })
  expect(await runs.result('early')).toMatchObject({ text: 'Paid.' })
  expect(ran).toHaveLength(1)
})

test('a failed run throws its error with its state, and is not retried', async () => {
  const model = scriptedModel([reply.call('add', { a: 1, b: 2 }), reply.fail('auth')])
  const runs = kept(new Agent({ name: 'failing', model, tools: [add] }))
  await working(runs)
  const error = await runs.run('Go.', { runId: 'failed' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CapstanError)
  expect(error).toMatchObject({ code: 'auth', state: { runId: 'failed', stepCount: 1 } })
  expect(Object.keys(error as object)).not.toContain('state')
  expect(await runs.status('failed')).toMatchObject({
    phase: 'failed',
    error: { code: 'auth' },
    stepCount: 1,
  })
  await expect(runs.decide('failed', 'c1', { type: 'approve' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

test('an abort during a call signals the call and leaves a valid history', async () => {
  let heard = () => {}
  const aborted = new Promise<void>((resolve) => {
    heard = resolve
  })
  let begun = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const wait = tool({
    name: 'wait',
    description: 'Waits for ever',
    parameters: z.object({}),
    execute: (_args, { signal }) =>
      new Promise<string>((_, reject) => {
        begun()
        signal.addEventListener('abort', () => {
          heard()
          reject(signal.reason)
        })
      }),
  })
  const model = scriptedModel([
    reply.calls(reply.call('wait', {}, { id: 'c1' }), reply.call('add', { a: 1, b: 2 }, { id: 'c2' })),
    reply.text('Never.'),
  ])
  const runs = kept(new Agent({ name: 'waiter', model, tools: [wait, add] }))
  await working(runs)
  await runs.start('Go.', { runId: 'cut' })
  await started
  const database = new Pool({ connectionString: url })
  onTestFinished(() => database.end())
  // The other call has ended once its step is recorded.
  const isRecorded =
    "SELECT 1 FROM dbos.operation_outputs WHERE workflow_uuid LIKE 'cut%' AND function_name = 'step0/call1'"
  await expect.poll(async () => (await database.query(isRecorded)).rowCount).toBe(1)
  await runs.abort('cut', 'enough')
  const result = await runs.result('cut')
  expect(result).toMatchObject({ stopReason: 'aborted', stepCount: 1 })
  expect(result.messages.slice(2)).toMatchObject([
    { role: 'tool', tool_call_id: 'c1' },
    { role: 'tool', tool_call_id: 'c2', content: '3' },
  ])
  await aborted
  expect(await runs.status('cut')).toMatchObject({ phase: 'ended', stopReason: 'aborted' })
})

test('a pending run can be aborted, and no decision continues it', async () => {
  const ran: unknown[] = []
  const runs = kept(payer(ran))
  await working(runs)
  await runs.run('Pay.', { runId: 'dropped' })
  await runs.abort('dropped')
  expect(await runs.status('dropped')).toMatchObject({ phase: 'ended', stopReason: 'aborted' })
  const result = await runs.result('dropped')
  expect(result.stopReason).toBe('aborted')
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1' })
  await expect(runs.decide('dropped', 'c1', { type: 'approve' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  expect(ran).toEqual([])
})

test('a queued run can be aborted, and an ended one does not change', async () => {
  const runs = kept(new Agent({ model: scriptedModel([reply.text('Done.')]) }))
  await runs.start('Go.', { runId: 'never' })
  await runs.abort('never')
  expect(await runs.result('never')).toMatchObject({ stopReason: 'aborted', stepCount: 0 })
  await working(runs)
  await runs.run('Go.', { runId: 'over' })
  await runs.abort('over')
  expect(await runs.result('over')).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(await runs.status('over')).toMatchObject({ phase: 'ended', stopReason: 'done' })
})

test('pending runs free their slots', async () => {
  const agent = payer(
    [],
    [
      reply.call('pay', { amount: 1 }, { id: 'c1' }),
      reply.call('pay', { amount: 2 }, { id: 'c2' }),
      reply.text('Nothing to pay.'),
    ],
  )
  const runs = kept(agent)
  await working(runs, { concurrency: 1 })
  const ids = ['wait 1', 'wait 2', 'fresh']
  for (const runId of ids) await runs.start('Pay.', { runId })
  expect((await runs.result('fresh')).text).toBe('Nothing to pay.')
  expect(await Promise.all(ids.map(async (id) => (await runs.status(id)).phase))).toEqual([
    'pending',
    'pending',
    'ended',
  ])
})

test('a call of a child agent waits, and the child run continues after it', async () => {
  const ran: unknown[] = []
  const inner = payer(ran)
  const model = scriptedModel([
    reply.call('payer', { input: 'Pay.' }, { id: 'c0' }),
    reply.text('It is settled.'),
  ])
  const runs = kept(new Agent({ name: 'boss', model, tools: [agentTool(inner)] }))
  await working(runs)
  const waits = await runs.run('Settle it.', { runId: 'inner' })
  expect(waits.pending).toMatchObject([{ callId: 'c0/c1', agent: 'payer' }])
  await runs.decide('inner', 'c0/c1', { type: 'approve' })
  await expect.poll(() => runs.status('inner')).toMatchObject({ phase: 'ended' })
  expect((await runs.result('inner')).text).toBe('It is settled.')
  expect(ran).toHaveLength(1)
})

test('a run continues with unchanged tools only: a decision is rejected until such a worker runs', async () => {
  const ran: unknown[] = []
  const changed = tool({
    name: 'pay',
    description: 'Pays a bill',
    parameters: z.object({ amount: z.number(), currency: z.string() }),
    needsApproval: true,
    execute: () => expect.unreachable('it has no currency'),
  })
  const queue = 'versions'
  const before = kept(payer(ran), { queue })
  const after = kept(
    new Agent({ name: 'payer', model: scriptedModel([reply.text('New.')]), tools: [changed] }),
    {
      queue,
    },
  )
  const old = await working(before)
  await before.run('Pay.', { runId: 'old' })
  await old.close()
  const fresh = await working(after)
  expect((await after.run('Anything?')).text).toBe('New.')
  await expect(after.decide('old', 'c1', { type: 'approve' })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining("Start a worker with the run's version"),
  })
  expect(await after.status('old')).toMatchObject({ phase: 'pending' })
  await fresh.close()
  await working(before)
  await after.decide('old', 'c1', { type: 'approve' })
  await expect.poll(() => after.status('old')).toMatchObject({ phase: 'ended' })
  expect((await after.result('old')).text).toBe('Paid.')
  expect(ran).toHaveLength(1)
})

test('a pending run continues on workers with the same tools in another order', async () => {
  const ran: unknown[] = []
  const queue = 'reordered'
  const named = (name: string) =>
    tool({
      name,
      description: `Does ${name}`,
      parameters: z.object({}),
      needsApproval: true,
      execute: () => ran.push(name),
    })
  const [book, cancel] = [named('book'), named('cancel')]
  const script = [reply.call('cancel', {}, { id: 'c1' }), reply.text('Cancelled.')]
  const before = kept(new Agent({ name: 'desk', model: scriptedModel(script), tools: [cancel, book] }), {
    queue,
  })
  const after = kept(
    new Agent({ name: 'desk', model: scriptedModel(script.slice(1)), tools: [book, cancel] }),
    { queue },
  )
  const old = await working(before)
  await before.run('Cancel.', { runId: 'reordered' })
  await old.close()
  await working(after)
  await after.decide('reordered', 'c1', { type: 'approve' })
  await expect.poll(() => after.status('reordered')).toMatchObject({ phase: 'ended' })
  expect((await after.result('reordered')).text).toBe('Cancelled.')
  expect(ran).toEqual(['cancel'])
})

test('the error for an unreachable database names its host, without the password', async () => {
  const runs = durable(new Agent({ model: scriptedModel([]) }), {
    database: 'postgresql://user:secret-word@127.0.0.1:1/nowhere',
  })
  const error = await runs.run('Go.').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'network',
    message: expect.stringContaining('Cannot use the database at "127.0.0.1:1/nowhere": '),
  })
  expect(JSON.stringify(error) + String(error)).not.toContain('secret-word')
})

test('a reader can stop when the client is closed', async () => {
  const runs = kept(payer([]))
  const run = runs.stream('Pay.')
  await expect.poll(() => runs.status(run.runId).catch(() => undefined)).toMatchObject({ phase: 'queued' })
  await runs.close()
})

test('errors name the missing database URL, and a worker accepts only durable agents', async () => {
  const address = process.env.DBOS_SYSTEM_DATABASE_URL
  delete process.env.DBOS_SYSTEM_DATABASE_URL
  const runs = durable(new Agent({ model: scriptedModel([]) }))
  await expect(runs.run('Go.')).rejects.toThrow('No database URL')
  if (address !== undefined) process.env.DBOS_SYSTEM_DATABASE_URL = address
  await expect(startWorker([])).rejects.toThrow('startWorker needs at least one agent')
  await expect(startWorker([{} as never])).rejects.toThrow('agents created by durable(...)')
})
