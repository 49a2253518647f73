import { deepEqual, equal, rejects } from 'node:assert/strict'
import { Agent, tool } from '@capstan/core'
import { type DurableAgent, durable, startWorker } from '@capstan/durable/restate'
import * as z from 'zod'
import { plannedModel } from '../../planned-model.js'
import type { Facts, Stage } from '../facts.js'
import { until, withWorker } from '../with-worker.js'
import { freePort } from '../worker-process.js'

const yes = { type: 'approve' } as const
const none = z.object({})

const ask = tool({
  name: 'ask',
  description: 'Asks first.',
  parameters: none,
  needsApproval: true,
  execute: () => 'asked',
})

/** Ends only when it is aborted. */
function holding(begun: () => void) {
  return tool({
    name: 'hold',
    description: 'Holds.',
    parameters: none,
    execute: (_, { signal }) => {
      begun()
      return new Promise<string>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
    },
  })
}

/** Runs a function with a worker for an agent and returns the worker's port. */
async function serving(agent: DurableAgent, use: () => Promise<void>, port?: number): Promise<number> {
  const at = port ?? (await freePort())
  const worker = await startWorker([agent], { port: at })
  try {
    await use()
  } finally {
    await worker.close()
  }
  return at
}

const at = ({ ingress, admin }: Stage) => ({
  ingress,
  admin,
  suspendAfterMs: 300,
  retryMs: { first: 30, longest: 200 },
})

export const facts: Facts = {
  'why a run was aborted is told, also of one that no worker had': (stage) =>
    withWorker(
      stage,
      async ({ agents: { sender }, come }) => {
        await sender.start('Send.', { runId: 'reason-before' })
        await sender.abort('reason-before', 'never mind')
        await come()
        await sender.run('Send.', { runId: 'reason-after' })
        await sender.abort('reason-after', 'enough')
        await sender.abort('reason-after', 'more than enough')
        await sender.run('Send.', { runId: 'reason-none' })
        await sender.abort('reason-none')
        const wanted = { 'reason-before': 'never mind', 'reason-after': 'enough', 'reason-none': undefined }
        for (const [runId, reason] of Object.entries(wanted)) {
          equal((await sender.result(runId)).stopReason, 'aborted')
          await until(async () => (await sender.status(runId)).reason === reason)
        }
      },
      { isUp: false },
    ),

  'a repeated start with changed agent limits has the same input': async (stage) => {
    const make = (steps: number) =>
      durable(new Agent({ name: 'limited', model: plannedModel([]), limits: { steps } }), at(stage))
    await serving(make(3), async () => {
      await make(3).run('Go.', { runId: 'limited' })
      equal(await make(5).start('Go.', { runId: 'limited' }), 'limited')
      await rejects(make(5).start('Go.', { runId: 'limited', limits: { steps: 9 } }), { code: 'conflict' })
    })
  },

  'a run that allows changed tools accepts decisions with them': async (stage) => {
    const model = plannedModel([[{ name: 'ask' }]])
    const other = tool({ name: 'other', description: 'Is new.', parameters: none, execute: () => 'new' })
    const before = durable(new Agent({ name: 'grown', model, tools: [ask] }), at(stage))
    const after = durable(new Agent({ name: 'grown', model, tools: [ask, other] }), at(stage))
    const port = await serving(before, async () => {
      const { stopReason } = await before.run('Go.', { runId: 'grown', allowChangedTools: true })
      equal(stopReason, 'pending')
    })
    await serving(
      after,
      async () => {
        await after.decide('grown', 'c0_0', yes)
        equal((await after.result('grown')).stopReason, 'done')
      },
      port,
    )
  },

  'a pending run continues with the same tools in another order': async (stage) => {
    const model = plannedModel([[{ name: 'ask' }]])
    const other = tool({ name: 'zoom', description: 'Is there.', parameters: none, execute: () => 'there' })
    const before = durable(new Agent({ name: 'reordered', model, tools: [other, ask] }), at(stage))
    const after = durable(new Agent({ name: 'reordered', model, tools: [ask, other] }), at(stage))
    const port = await serving(before, async () => {
      equal((await before.run('Go.', { runId: 'reordered' })).stopReason, 'pending')
    })
    await serving(
      after,
      async () => {
        await after.decide('reordered', 'c0_0', yes)
        equal((await after.result('reordered')).stopReason, 'done')
      },
      port,
    )
  },

  'the result of an aborted run contains its calls and usage': async (stage) => {
    let begun = 0
    const hold = holding(() => begun++)
    const model = plannedModel([[{ name: 'ask' }], [{ name: 'hold' }]])
    const runs = durable(new Agent({ name: 'cut', model, tools: [ask, hold] }), at(stage))
    await serving(runs, async () => {
      await runs.run('Go.', { runId: 'cut' })
      await runs.decide('cut', 'c0_0', yes)
      await until(() => begun === 1)
      await runs.abort('cut')
      const { toolCalls, usage } = await runs.result('cut')
      deepEqual(
        toolCalls.map(({ name, status }) => `${name} ${status}`),
        ['ask ok', 'hold cut_off'],
      )
      equal(usage.requests, 2)
    })
  },

  'a reader ends when the client is closed, and the run continues': async (stage) => {
    let begun = 0
    const hold = holding(() => begun++)
    const agent = () => new Agent({ name: 'left', model: plannedModel([[{ name: 'hold' }]]), tools: [hold] })
    const runs = durable(agent(), { ...at(stage), suspendAfterMs: 60_000 })
    await serving(runs, async () => {
      const live = runs.stream('Go.', { runId: 'left' })
      const read = (async () => {
        for await (const _ of live);
      })()
      read.catch(() => {})
      await until(() => begun === 1)
      await runs.close()
      await rejects(read, { code: 'stopped' })
      const others = durable(agent(), at(stage))
      equal((await others.status('left')).phase, 'running')
      await others.abort('left')
      equal((await others.result('left')).stopReason, 'aborted')
    })
  },

  'progress that JSON cannot represent does not fail a run': async (stage) => {
    const count = tool({
      name: 'count',
      description: 'Counts.',
      parameters: none,
      async *execute() {
        yield 10n
        return 'ok'
      },
    })
    const model = plannedModel([[{ name: 'count' }]])
    const runs = durable(new Agent({ name: 'counter', model, tools: [count] }), at(stage))
    await serving(runs, async () => {
      const live = runs.stream('Count.', { runId: 'counter' })
      const types: string[] = []
      for await (const { type } of live) types.push(type)
      equal(types.includes('tool-progress'), true)
      const { toolCalls } = await live.result
      deepEqual(
        toolCalls.map(({ status, result }) => [status, result]),
        [['ok', 'ok']],
      )
    })
  },

  'a run is that of its agent alone': (stage) =>
    withWorker(stage, async ({ agents: { sender, adder } }) => {
      await sender.run('Send.', { runId: 'mine' })
      const missing = { code: 'not_found' }
      await rejects(adder.status('mine'), missing)
      await rejects(adder.result('mine'), missing)
      await rejects(adder.decide('mine', 'c0_1', yes), missing)
      await rejects(adder.abort('mine'), missing)
      equal((await sender.status('mine')).phase, 'pending')
    }),
}
