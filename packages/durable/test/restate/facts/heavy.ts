import { equal, rejects } from 'node:assert/strict'
import { artist, checkDeaths } from '../../background-runs.js'
import { checkProgramDeaths, coder } from '../../program-runs.js'
import type { Facts } from '../facts.js'
import { faultHost } from '../fault-host.js'
import { withWorker } from '../with-worker.js'

export const facts: Facts = {
  'many megabytes are kept of a run, and no more than it may come to': (stage) =>
    withWorker(stage, async ({ agents: { adder } }) => {
      const long = 'x'.repeat(15 * 1024 * 1024)
      const { messages } = await adder.run(long)
      equal(messages[0]?.content, long)
      await rejects(adder.run(`${long}${'x'.repeat(1024 * 1024 - 1000)}`), {
        code: 'invalid_state',
        message: /maxStateBytes: 16777216/,
      })
    }),

  'each outcome of a background call is there once, wherever a worker dies': async ({ ingress, admin }) =>
    checkDeaths(await faultHost([artist], { ingress, admin, retryMs: { first: 10, longest: 50 } })),

  'a program ends, and no key has two sets of arguments, wherever a worker dies': async ({
    ingress,
    admin,
  }) => checkProgramDeaths(await faultHost([coder], { ingress, admin, retryMs: { first: 10, longest: 50 } })),
}
