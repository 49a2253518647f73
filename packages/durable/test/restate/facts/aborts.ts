import { deepEqual, equal } from 'node:assert/strict'
import type { RunResult } from '@capstan/core'
import type { Facts } from '../facts.js'
import { until, withWorker } from '../with-worker.js'

export const facts: Facts = {
  'a run that is aborted before any worker has it does nothing': (stage) =>
    withWorker(
      stage,
      async ({ agents: { waiter }, lines, come }) => {
        await waiter.start('Go.', { runId: 'before' })
        await waiter.abort('before')
        await come()
        isClosed(await waiter.result('before'), [])
        deepEqual(lines, [])
      },
      { isUp: false },
    ),

  'one that is aborted during a step is cut off there, and keeps what was done': (stage) =>
    withWorker(
      stage,
      async ({ agents: { waiter }, lines }) => {
        await waiter.start('Go.', { runId: 'during' })
        await until(() => lines.length === 3)
        await waiter.abort('during')
        isClosed(await waiter.result('during'), ['ok', 'cut_off', 'ok'])
        equal((await waiter.status('during')).stopReason, 'aborted')
      },
      { hold: untilCut, suspendAfterMs: 60_000 },
    ),

  'one that is aborted while its worker is gone is ended when another is there, and begins nothing': (
    stage,
  ) =>
    withWorker(
      stage,
      async ({ agents: { waiter }, lines, go, come }) => {
        await waiter.start('Go.', { runId: 'gone' })
        await until(() => lines.length === 3)
        await go()
        await waiter.abort('gone')
        await come()
        isClosed(await waiter.result('gone'), ['ok', 'not_run', 'ok'])
        equal(lines.length, 3)
      },
      { hold: untilCut },
    ),

  'one that is aborted after a step goes no further': (stage) =>
    withWorker(stage, async ({ agents: { sender }, lines, go, come }) => {
      await sender.run('Send.', { runId: 'after' })
      await go()
      await sender.abort('after')
      const result = sender.result('after')
      await come()
      isClosed(await result, ['ok', 'not_run'])
      deepEqual(lines, ['add after/step0/call0'])
    }),

  'one that has ended stays as it is': (stage) =>
    withWorker(stage, async ({ agents: { adder } }) => {
      await adder.run('Add.', { runId: 'ended' })
      await adder.abort('ended')
      equal((await adder.result('ended')).stopReason, 'done')
    }),

  'agents within a run end with it': (stage) =>
    withWorker(
      stage,
      async ({ agents: { chief }, lines }) => {
        await chief.start('Go.', { runId: 'chief' })
        await until(() => lines.length === 3)
        await chief.abort('chief')
        const end = await chief.result('chief')
        isClosed(end, ['cut_off'])
        equal((await chief.status('chief/step0/child0')).phase, 'ended')
        equal(end.usage.totalTokens, 45)
      },
      { hold: untilCut, suspendAfterMs: 60_000 },
    ),
}

/** Checks that a run is aborted and its history is valid: all calls have results. */
function isClosed({ stopReason, toolCalls, state }: RunResult, statuses: readonly string[]): void {
  equal(stopReason, 'aborted')
  deepEqual(
    toolCalls.map(({ status }) => status),
    statuses,
  )
  deepEqual([state.pending, state.results], [[], {}])
}

function untilCut(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}
