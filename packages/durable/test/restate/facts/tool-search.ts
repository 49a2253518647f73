import { equal } from 'node:assert/strict'
import { durable, startWorker } from '@capstan/durable/restate'
import { finder, found } from '../../search-runs.js'
import type { Facts } from '../facts.js'

export const facts: Facts = {
  'a stored run has the tools that it has found': async ({ ingress, admin }) => {
    const runs = durable(finder, { ingress, admin })
    const worker = await startWorker([runs], { port: 0 })
    try {
      equal((await runs.run('Go.')).text, found)
    } finally {
      await worker.close()
    }
  },
}
