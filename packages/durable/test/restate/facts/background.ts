import { deepEqual, equal } from 'node:assert/strict'
import { durable, startWorker } from '@capstan/durable/restate'
import { artist, outcomes, toldIn } from '../../background-runs.js'
import type { Facts } from '../facts.js'

export const facts: Facts = {
  'a run has the outcomes of background calls, also those that came too late': async ({ ingress, admin }) => {
    const runs = durable(artist, { ingress, admin })
    const worker = await startWorker([runs], { port: 0 })
    try {
      const { state, undelivered = [], toolCalls, stopReason } = await runs.run('Go.')
      equal(stopReason, 'done')
      deepEqual([...toldIn(state), ...undelivered].sort(), outcomes)
      deepEqual(
        toolCalls.map(({ result }) => result),
        [{ of: 'cat' }, { of: 'dog' }, 'seen'],
      )
    } finally {
      await worker.close()
    }
  },
}
