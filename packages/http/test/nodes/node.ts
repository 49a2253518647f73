// A process that serves an agent over a store in a folder, or in PostgreSQL. It is killed at any moment.

import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, chatModel, tool } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { folderRunStore } from '@capstan/stores/node'
import * as z from 'zod'
import { storesOf } from '../../../stores/test/stores-of.js'
import { agentHandler } from '../../src/agent-handler.js'
import { toNodeListener } from '../../src/node-listener.js'

const [folder = '', baseURL = '', postgres = ''] = process.argv.slice(2)
const { runs, sessions } = postgres
  ? storesOf({ url: postgres, schema: 'capstan' })
  : { runs: folderRunStore(join(folder, 'runs')), sessions: folderSessions(join(folder, 'sessions')) }
const parameters = z.object({ what: z.string() })

const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters,
  async execute({ what }, { idempotencyKey }) {
    await sleep(Math.random() * 20)
    appendFileSync(join(folder, 'effects.txt'), `${idempotencyKey}\n`)
    await sleep(Math.random() * 20)
    return `paid ${what}`
  },
})
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters,
  effects: 'read',
  execute: async ({ what }) => {
    await sleep(Math.random() * 20)
    return `saw ${what}`
  },
})
const sign = tool({
  name: 'sign',
  description: 'Signs',
  parameters,
  needsApproval: true,
  execute({ what }, { idempotencyKey }) {
    appendFileSync(join(folder, 'effects.txt'), `${idempotencyKey}\n`)
    return `signed ${what}`
  },
})

const model = chatModel('m', { baseURL, apiKey: '', maxRetries: 2 })
const handler = agentHandler(new Agent({ name: 'helper', model, tools: [pay, look, sign] }), {
  authenticate: () => ({ id: 'ann' }),
  runs,
  sessions,
  maxRuns: 1000,
  maxRunsPerUser: 1000,
  leaseMs: 1000,
  sweepMs: 300,
  keepRunsMs: 600_000,
  onDisconnect: 'finish',
  // A process that lost its lease says so: that is expected here.
  onError: () => {},
})
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.once('SIGTERM', async () => {
  server.close()
  await handler.close({ withinMs: 500, reason: new Error('A new version is here.') })
  process.exit()
})
