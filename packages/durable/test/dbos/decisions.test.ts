import { Agent, agentTool, type ChatModel, tool } from '@capstan/core'
import { expect } from 'vitest'
import * as z from 'zod'
import { some } from '../../../../scripts/cases.mjs'
import type { DbosAgent } from '../../src/dbos.js'
import { plannedModel } from '../planned-model.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)
const approve = { type: 'approve' } as const
const deny = { type: 'deny', reason: 'no' } as const

const pay = tool({
  name: 'pay',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
})

/** A model that makes these calls concurrently, once in each run. */
function paying(...callIds: readonly string[]): ChatModel {
  return plannedModel([callIds.map((id, amount) => ({ name: 'pay', arguments: { amount }, id }))])
}

/** An agent that needs approval for each of these calls. */
function payer(...callIds: readonly string[]) {
  return kept(new Agent({ name: 'payer', model: paying(...callIds), tools: [pay] }))
}

async function endOf(runs: DbosAgent, runId: string) {
  await expect.poll(() => runs.status(runId)).toMatchObject({ phase: 'ended' })
  const { toolCalls } = await runs.result(runId)
  return Object.fromEntries(toolCalls.map(({ callId, status }) => [callId, status]))
}

test('a call of a child agent has its own decisions', async () => {
  const inner = new Agent({ name: 'inner', model: paying('1'), tools: [pay] })
  const model = plannedModel([[{ name: 'inner', arguments: { input: 'Pay.' }, id: 'c1' }]])
  const runs = kept(new Agent({ name: 'outer', model, tools: [agentTool(inner, { needsApproval: true })] }))
  const runId = 'numbered'
  await runs.start('Pay.', { runId })
  await runs.decide(runId, 'c1', { type: 'approve', arguments: { input: 7 } })
  await working(runs)
  const waitsFor = async (callId: string) =>
    expect.poll(() => runs.status(runId)).toMatchObject({ pending: [{ callId }] })
  await waitsFor('c1')
  expect((await runs.result(runId)).pending).toMatchObject([{ callId: 'c1' }])
  await runs.decide(runId, 'c1', approve)
  await waitsFor('c1/1')
  await runs.decide(runId, 'c1/1', deny)
  expect(await endOf(runs, runId)).toEqual({ c1: 'ok' })
}, 90_000)

test.each(
  some([
    ['order_1', 'order-1'],
    ['100%', '100 percent'],
  ]),
)('the result of %j does not wait for a decision on %j', async (runId, other) => {
  const runs = payer('c1')
  const worker = await working(runs)
  await runs.run('Pay.', { runId: other })
  await runs.run('Pay.', { runId })
  await worker.close()
  await runs.decide(other, 'c1', approve)
  expect((await runs.result(runId)).stopReason).toBe('pending')
})

test.each(some(['50%', 'order_2', 'a\\b', '\\'], 2))(
  'the result of %j waits for its own decision',
  async (runId) => {
    const runs = payer('c1')
    const worker = await working(runs)
    await runs.run('Pay.', { runId })
    await worker.close()
    await runs.decide(runId, 'c1', approve)
    const result = runs.result(runId)
    await working(runs)
    expect((await result).text).toBe('Done after 1 results.')
  },
)

test('a decision with reordered arguments is the same decision', async () => {
  const runs = payer('c1')
  await runs.start('Pay.', { runId: 'ordered' })
  await runs.decide('ordered', 'c1', { type: 'approve', arguments: { amount: 1, currency: 'EUR' } })
  await runs.decide('ordered', 'c1', { arguments: { currency: 'EUR', amount: 1 }, type: 'approve' })
})

test('the error for a decision that JSON cannot represent names the call', async () => {
  const runs = payer('c1')
  await runs.start('Pay.', { runId: 'wide' })
  const decision = { type: 'approve', arguments: { amount: 10n } } as never
  await expect(runs.decide('wide', 'c1', decision)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('The decision on "c1"'),
  })
})
