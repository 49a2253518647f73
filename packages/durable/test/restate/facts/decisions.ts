import { deepEqual, equal, rejects } from 'node:assert/strict'
import { Agent } from '@capstan/core'
import { durable, startWorker } from '@capstan/durable/restate'
import { RestateServer } from '../../../src/restate/server.js'
import { plannedModel } from '../../planned-model.js'
import { agentsIn } from '../agents.js'
import type { Facts } from '../facts.js'
import { until, withWorker } from '../with-worker.js'
import { WorkerProcess } from '../worker-process.js'

const yes = { type: 'approve' } as const
const nobody = { note: () => undefined }

export const facts: Facts = {
  'a run that waits says so, and goes on with the decision': (stage) =>
    withWorker(stage, async ({ agents: { sender }, lines }) => {
      const first = await sender.run('Send.', { runId: 'waits' })
      equal(first.stopReason, 'pending')
      deepEqual(
        first.toolCalls.map(({ status, result }) => [status, result]),
        [['ok', 3]],
      )
      const { phase, pending, stepCount } = await sender.status('waits')
      deepEqual([phase, pending.map(({ callId }) => callId), stepCount], ['pending', ['c0_1'], 1])
      await sender.decide('waits', 'c0_1', { ...yes, arguments: { to: 'Bob' } })
      const end = await sender.result('waits')
      deepEqual(
        end.toolCalls.map(({ status, result }) => [status, result]),
        [
          ['ok', 3],
          ['ok', 'Sent to Bob.'],
        ],
      )
      deepEqual(lines, ['add waits/step0/call0', 'send waits/step0/call1'])
    }),

  'a decision that is given twice is one; another one is refused, also when the run has ended': (stage) =>
    withWorker(stage, async ({ agents: { sender }, lines }) => {
      await sender.run('Send.', { runId: 'double' })
      await Promise.all([sender.decide('double', 'c0_1', yes), sender.decide('double', 'c0_1', yes)])
      await rejects(sender.decide('double', 'c0_1', { type: 'deny', reason: 'No.' }), { code: 'conflict' })
      equal((await sender.result('double')).stopReason, 'done')
      await sender.decide('double', 'c0_1', yes)
      await rejects(sender.decide('double', 'c0_1', { type: 'deny', reason: 'No.' }), { code: 'conflict' })
      await rejects(sender.decide('double', 'c9_9', yes), { code: 'invalid_request' })
      equal(lines.filter((line) => line.startsWith('send')).length, 1)
    }),

  'of two decisions that are given at once one is carried out': (stage) =>
    withWorker(stage, async ({ agents: { sender } }) => {
      await sender.run('Send.', { runId: 'race' })
      const ends = await Promise.allSettled([
        sender.decide('race', 'c0_1', yes),
        sender.decide('race', 'c0_1', { type: 'deny', reason: 'No.' }),
      ])
      equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
      const wanted = ends[0]?.status === 'fulfilled' ? 'ok' : 'denied'
      equal((await sender.result('race')).toolCalls[1]?.status, wanted)
    }),

  'a decision that cannot be carried out is refused, and the call waits on': (stage) =>
    withWorker(stage, async ({ agents: { sender }, go }) => {
      await sender.run('Send.', { runId: 'wrong' })
      const decide = (decision: object) => sender.decide('wrong', 'c0_1', decision as typeof yes)
      await rejects(decide({ type: 'maybe' }), { code: 'invalid_request' })
      await rejects(decide({ type: 'result', value: 1n }), { code: 'invalid_request' })
      await rejects(decide({ type: 'approve', arguments: { to: 7 } }), { code: 'invalid_arguments' })
      await go()
      await rejects(decide({ type: 'approve', arguments: { to: 7 } }), { code: 'invalid_arguments' })
      equal((await sender.status('wrong')).phase, 'pending')
    }),

  'a decision is not lost before the run waits, or before it has begun': (stage) =>
    withWorker(
      stage,
      async ({ agents: { sender }, come }) => {
        await sender.start('Send.', { runId: 'early' })
        await sender.decide('early', 'c0_1', yes)
        await come()
        const end = await sender.result('early')
        deepEqual([end.stopReason, end.toolCalls[1]?.status], ['done', 'ok'])
      },
      { isUp: false },
    ),

  'one that was given early and turns out wrong does no harm: the call waits for another': (stage) =>
    withWorker(
      stage,
      async ({ agents: { sender }, come }) => {
        await sender.start('Send.', { runId: 'rash' })
        await sender.decide('rash', 'c0_1', { type: 'approve', arguments: { to: 7 } })
        await come()
        equal((await sender.result('rash')).stopReason, 'pending')
        await sender.decide('rash', 'c0_1', yes)
        equal((await sender.result('rash')).toolCalls[1]?.status, 'ok')
      },
      { isUp: false },
    ),

  'one given without a live worker is applied by the next worker': async (stage) => {
    const worker = await WorkerProcess.start(stage)
    try {
      const { sender } = agentsIn(nobody, stage)
      await sender.run('Send.', { runId: 'dead' })
      await worker.kill()
      await sender.decide('dead', 'c0_1', yes)
      const { phase, pending } = await sender.status('dead')
      deepEqual([phase, pending], ['running', []])
      await worker.start()
      const end = await sender.result('dead')
      equal(end.toolCalls[1]?.status, 'ok')
      deepEqual(worker.lines, ['add dead/step0/call0', 'send dead/step0/call1'])
    } finally {
      await worker.end()
    }
  },

  'runs that wait leave their worker, and fresh ones go on': (stage) =>
    withWorker(stage, async ({ agents: { sender, adder } }) => {
      const ids = await Promise.all(Array.from({ length: 100 }, () => sender.start('Send.')))
      await Promise.all(ids.map((id) => sender.result(id)))
      equal((await adder.run('Add.')).stopReason, 'done')
      const keys = ids.map((id) => `'${id}'`).join()
      const sql = `select status from sys_invocation where target_service_key in (${keys})`
      const server = new RestateServer({ ...stage, headers: {} })
      await until(async () => (await server.query(sql)).every(({ status }) => status === 'suspended'))
      await Promise.all(ids.map((id) => sender.decide(id, 'c0_1', yes)))
      for (const id of ids) equal((await sender.result(id)).stopReason, 'done')
    }),

  'a worker whose agent has other tools leaves a run to others, and says so': (stage) =>
    withWorker(stage, async ({ agents: { sender }, port, go, come }) => {
      await sender.run('Send.', { runId: 'changed' })
      await go()
      const { ingress, admin } = stage
      const model = plannedModel([])
      const other = durable(new Agent({ name: 'sender', model }), { ingress, admin })
      const worker = await startWorker([other], { port })
      await rejects(other.decide('changed', 'c0_1', yes), { code: 'conflict' })
      await sender.decide('changed', 'c0_1', yes)
      await until(async () => (await sender.status('changed')).error?.code === 'conflict')
      equal((await sender.status('changed')).phase, 'running')
      await worker.close()
      await come()
      equal((await sender.result('changed')).toolCalls[1]?.status, 'ok')
    }),
}
