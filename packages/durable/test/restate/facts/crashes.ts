import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { agentsIn } from '../agents.js'
import type { Facts } from '../facts.js'
import { until, untilKept, withWorker } from '../with-worker.js'
import { WorkerProcess } from '../worker-process.js'

const nobody = { note: () => undefined }

export const facts: Facts = {
  'a worker killed in a step loses no stored outcome, and another continues': async (stage) => {
    const worker = await WorkerProcess.start(stage)
    const { waiter } = agentsIn(nobody, stage)
    const slow = (lines: readonly string[]) => lines.filter((line) => line.startsWith('slow'))
    try {
      await waiter.start('Go.', { runId: 'killed' })
      await until(() => slow(worker.lines).length === 1)
      await untilKept(stage, 'killed', 'step1/call1')
      await worker.kill()
      await worker.start()
      await until(() => slow(worker.lines).length === 2)
      await worker.kill()
    } finally {
      await worker.end()
    }
    await withWorker(
      stage,
      async ({ agents, lines }) => {
        equal((await agents.waiter.result('killed')).text, 'Done after 4 results.')
        deepEqual(lines.toSorted(), ['add killed/step2/call0', 'slow killed/step1/call0'])
      },
      { port: worker.port },
    )
  },

  'a child run continues on another worker, with the prices of the run': async (stage) => {
    const worker = await WorkerProcess.start(stage)
    const { chief } = agentsIn(nobody, stage)
    try {
      await chief.start('Go.', { runId: 'inner' })
      await until(() => worker.lines.length === 3)
      await untilKept(stage, 'inner/step0/child0', 'step1/call1')
    } finally {
      await worker.end()
    }
    await withWorker(
      stage,
      async ({ agents, lines }) => {
        const { text, usage } = await agents.chief.result('inner')
        deepEqual([text, usage.totalTokens, usage.cost], ['Done after 1 results.', 90, 90])
        deepEqual(lines.toSorted(), [
          'add inner/step0/child0/step2/call0',
          'slow inner/step0/child0/step1/call0',
        ])
      },
      { port: worker.port },
    )
  },

  'a server that is killed and started again has all runs that wait': (stage) =>
    withWorker(stage, async ({ agents: { sender } }) => {
      await sender.run('Send.', { runId: 'server' })
      await stage.restart()
      // A server that is starting does not list all runs immediately.
      await until(async () => (await sender.status('server').catch(() => undefined))?.phase === 'pending')
      await sender.decide('server', 'c0_1', { type: 'approve' })
      equal((await sender.result('server')).toolCalls[1]?.status, 'ok')
    }),

  'a run that always crashes its worker is paused, also when a child run does, and others continue': async (
    stage,
  ) => {
    const worker = await WorkerProcess.start(stage)
    const { fatal, deadly, adder } = agentsIn(nobody, stage)
    let isOver = false
    const keepUp = (async () => {
      for (; !isOver; await new Promise((resolve) => setTimeout(resolve, 20)))
        if (!worker.isUp) await worker.start()
    })()
    try {
      for (const [agent, status] of [
        [fatal, 'not_run'],
        [deadly, 'cut_off'],
      ] as const) {
        const runId = `poison-${agent.name}`
        await agent.start('Go.', { runId })
        await rejects(agent.result(runId), { code: 'stopped', message: /is paused/ })
        const { phase, error } = await agent.status(runId)
        equal(phase, 'set_aside')
        match(error?.message ?? '', /broken pipe|refused|closed/)
        equal((await adder.run('Add.')).stopReason, 'done')
        await agent.abort(runId)
        const end = await agent.result(runId)
        equal(end.stopReason, 'aborted')
        deepEqual(
          end.toolCalls.map((call) => call.status),
          [status],
        )
      }
      ok(worker.isUp)
    } finally {
      isOver = true
      await keepUp
      await worker.end()
    }
  },
}
