import { Agent, agentTool, type RunEvent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect } from 'vitest'
import * as z from 'zod'
import { durable, startWorker } from '../../src/dbos.js'
import { test, usePostgres } from '../postgres.js'
import { add, keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)
const none = z.object({})

/** A tool that needs approval and counts its calls. */
function asking(name: string, ran: string[] = []) {
  return tool({
    name,
    description: `Does ${name}`,
    parameters: none,
    needsApproval: true,
    execute: () => {
      ran.push(name)
      return `did ${name}`
    },
  })
}

/** A tool whose calls end only when they are aborted. */
function holding() {
  const calls: { readonly signal: AbortSignal; end(): void }[] = []
  const hold = tool({
    name: 'hold',
    description: 'Holds',
    parameters: none,
    execute: (_args, { signal }) =>
      new Promise<string>((resolve) => calls.push({ signal, end: () => resolve('held') })),
  })
  return { hold, calls }
}

test('a decision waits until the run reaches its call', async () => {
  const model = scriptedModel([
    reply.call('one', {}, { id: 'c1' }),
    reply.call('two', {}, { id: 'c2' }),
    reply.text('Done.'),
  ])
  const runs = kept(new Agent({ name: 'two', model, tools: [asking('one'), asking('two')] }))
  await runs.start('Go.', { runId: 'later' })
  await runs.decide('later', 'c2', { type: 'approve' })
  await working(runs)
  expect((await runs.result('later')).pending).toMatchObject([{ callId: 'c1' }])
  await runs.decide('later', 'c1', { type: 'approve' })
  await expect.poll(() => runs.status('later')).toMatchObject({ phase: 'ended' })
  expect((await runs.result('later')).text).toBe('Done.')
})

test('one of two concurrent decisions counts, and the other is a conflict', async () => {
  const ran: string[] = []
  const runs = kept(
    new Agent({
      name: 'torn',
      model: scriptedModel([reply.call('one', {}, { id: 'c1' }), reply.text('Done.')]),
      tools: [asking('one', ran)],
    }),
  )
  await working(runs)
  await runs.run('Go.', { runId: 'torn' })
  const [yes, no] = await Promise.allSettled([
    runs.decide('torn', 'c1', { type: 'approve' }),
    runs.decide('torn', 'c1', { type: 'deny', reason: 'no' }),
  ])
  expect([yes.status, no.status].sort()).toEqual(['fulfilled', 'rejected'])
  const result = await runs.result('torn')
  expect(result.toolCalls).toMatchObject([{ status: yes.status === 'fulfilled' ? 'ok' : 'denied' }])
  expect(ran).toHaveLength(yes.status === 'fulfilled' ? 1 : 0)
})

test('closed workers do not count as crashes: a long call survives any number and is signalled by each', async () => {
  const { hold, calls } = holding()
  const runs = kept(
    new Agent({
      name: 'long',
      model: scriptedModel([reply.call('hold'), reply.text('Done.')]),
      tools: [hold],
    }),
  )
  await runs.start('Go.', { runId: 'long' })
  for (let at = 1; at <= 4; at++) {
    const worker = await working(runs, { maxAttempts: 1 })
    await expect.poll(() => calls.length).toBe(at)
    await worker.close()
    expect(calls[at - 1]?.signal.aborted).toBe(true)
  }
  await working(runs, { maxAttempts: 1 })
  await expect.poll(() => calls.length).toBe(5)
  calls[4]?.end()
  expect((await runs.result('long')).text).toBe('Done.')
})

test.each(['a/round1', 'a/abort', 'a/decision/c1', 'a/step0/child0', '', 'a\0b', 'x'.repeat(501)])(
  '%j is no id of a run',
  async (runId) => {
    const runs = kept(new Agent({ model: scriptedModel([]) }))
    await expect(runs.start('Go.', { runId })).rejects.toMatchObject({ code: 'invalid_request' })
  },
)

test('a run belongs to its agent and its queue only', async () => {
  const one = kept(new Agent({ name: 'one', model: scriptedModel([]) }), { queue: 'shared' })
  const other = kept(new Agent({ name: 'other', model: scriptedModel([]) }), { queue: 'shared' })
  const elsewhere = kept(new Agent({ name: 'one', model: scriptedModel([]) }), {
    queue: 'shared',
    application: 'b',
  })
  await one.start('Go.', { runId: 'mine' })
  for (const runs of [other, elsewhere]) {
    await expect(runs.status('mine')).rejects.toMatchObject({ code: 'not_found' })
    await expect(runs.decide('mine', 'c1', { type: 'approve' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(runs.abort('mine')).rejects.toMatchObject({ code: 'not_found' })
    await expect(runs.start('Go.', { runId: 'mine' })).rejects.toMatchObject({ code: 'conflict' })
  }
})

test('a stream throws the error of a run that cannot start', async () => {
  const runs = durable(new Agent({ model: scriptedModel([]) }), {
    database: 'postgresql://me@127.0.0.1:1/none',
  })
  const run = runs.stream('Go.')
  const read = async () => {
    for await (const _ of run) expect.unreachable('nothing happens')
  }
  await expect(read()).rejects.toMatchObject({ code: 'network' })
})

test('a worker that failed to start does not block another, and its error contains no password', async () => {
  const runs = kept(new Agent({ name: 'twin', model: scriptedModel([reply.text('Here.')]) }), {
    queue: 'twins',
  })
  const twin = kept(new Agent({ name: 'twin', model: scriptedModel([]) }), { queue: 'twins' })
  await expect(startWorker([runs, twin])).rejects.toThrow('Duplicate agent name "twin"')
  const far = durable(new Agent({ model: scriptedModel([]) }), { database: 'postgresql://me:hunter2@far/db' })
  const error = await startWorker([runs, far]).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('far/db')
  expect(String(error)).not.toContain('hunter2')
  await working(runs)
  await expect(startWorker([runs])).rejects.toMatchObject({ code: 'invalid_state' })
  expect((await runs.run('Hello?')).text).toBe('Here.')
})

test('the result of an aborted run contains its calls and emits no events', async () => {
  const told: string[] = []
  const { hold, calls: held } = holding()
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('add', { a: 2, b: 2 }), reply.call('hold'), reply.text('Never.')]),
    tools: [add, hold],
  })
  const agent = new Agent({
    name: 'ended',
    model: scriptedModel([
      reply.calls(reply.call('add', { a: 1, b: 1 }), reply.call('one', {}, { id: 'c1' })),
      reply.call('inner', { input: 'Go.' }),
      reply.text('Never.'),
    ]),
    tools: [add, asking('one'), agentTool(inner)],
    observe: ({ type }) => told.push(type),
  })
  const runs = kept(agent)
  await working(runs)
  await runs.run('Go.', { runId: 'ended' })
  await runs.decide('ended', 'c1', { type: 'approve' })
  await expect.poll(() => held.length).toBe(1)
  await runs.abort('ended', 'enough of it')
  await expect.poll(() => told.filter((type) => type === 'run-end').length).toBe(2)
  const before = told.length
  const result = await runs.result('ended')
  expect(result.stopReason).toBe('aborted')
  expect(result.toolCalls.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'add ok',
    'one ok',
    'inner cut_off',
  ])
  // Two of the agent's own calls, and two of the child agent's.
  expect(result.usage.requests).toBe(4)
  expect(told).toHaveLength(before)
  expect(await runs.status('ended')).toMatchObject({ stopReason: 'aborted', reason: 'enough of it' })
})

test('long texts in events are cut, and the events stay valid', async () => {
  const long = 'word '.repeat(4000)
  const runs = kept(new Agent({ name: 'long', model: scriptedModel([reply.text(long)]) }))
  await working(runs)
  const events: RunEvent[] = []
  const run = runs.stream('Go.')
  for await (const event of run) events.push(event)
  const added = events.find((event) => event.type === 'message-added')
  expect(added?.message).toMatchObject({ role: 'assistant', content: expect.stringMatching(/^word .*…$/s) })
  expect((await run.result).text.trim()).toBe(long.trim())
})

test('a repeated start with changed agent limits has the same input', async () => {
  const make = (steps: number) => new Agent({ name: 'same', model: scriptedModel([]), limits: { steps } })
  const before = kept(make(3), { queue: 'same' })
  const after = kept(make(5), { queue: 'same' })
  await before.start('Go.', { runId: 'same' })
  expect(await after.start('Go.', { runId: 'same' })).toBe('same')
  await expect(after.start('Go.', { runId: 'same', limits: { steps: 9 } })).rejects.toMatchObject({
    code: 'conflict',
  })
})

test('retries a context function that fails', async () => {
  let tries = 0
  const context = () => {
    if (++tries < 3) throw new Error('away')
    return { user: 'Ada' }
  }
  const runs = kept(new Agent({ name: 'context', model: scriptedModel([reply.text('Done.')]) }), { context })
  await working(runs)
  expect((await runs.run('Go.')).text).toBe('Done.')
  expect(tries).toBe(3)
})

test('a run whose tool reports values that JSON cannot represent ends as done, with its events', async () => {
  const circle: unknown[] = []
  circle.push(circle)
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ to: z.coerce.bigint() }),
    execute: async function* () {
      yield 10n
      yield { toJSON: () => circle.at(7)?.toString() ?? circle }
      return 'counted'
    },
  })
  const model = scriptedModel([reply.call('count', { to: 3 }, { id: 'c1' }), reply.text('Done.')])
  const runs = kept(new Agent({ name: 'counting', model, tools: [count] }), { live: true })
  await working(runs)
  const events: RunEvent[] = []
  const run = runs.stream('Count.', { runId: 'counted' })
  for await (const event of run) events.push(event)
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(events.flatMap((event) => (event.type === 'tool-start' ? [event.arguments] : []))).toEqual([
    { to: '3' },
  ])
  expect(events.flatMap((event) => (event.type === 'tool-progress' ? [event.value] : []))[0]).toBe('10')
})
