// stopped-worker.ts DATABASE ORIGIN ID [stop]: a worker. With `stop` its process stops right before the functions of the
// second step's calls, until it gets SIGCONT.
import { writeSync } from 'node:fs'
import { Agent, type AnyAgent, tool } from '@capstan/core'
import * as z from 'zod'
import { durable, startWorker } from '../../src/dbos.js'
import { plannedModel } from '../planned-model.js'

/** An agent that makes three concurrent calls in each of two steps. Their effects happen in an external service. */
export function threeAtOnce(origin: string, beforeCall: (turn: number) => void = () => {}): AnyAgent {
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ turn: z.number(), at: z.number() }),
    async execute(args, { idempotencyKey: key, signal }) {
      const headers = { 'x-worker': String(process.pid) }
      const body = JSON.stringify({ key, args })
      return (await fetch(`${origin}/tool`, { method: 'POST', headers, body, signal })).text()
    },
  })
  const turns = [0, 1].map((turn) => [0, 1, 2].map((at) => ({ name: 'count', arguments: { turn, at } })))
  return new Agent({
    name: 'three',
    model: plannedModel(turns),
    tools: [count],
    middleware: [
      {
        name: 'before-call',
        beforeTool: (call) => beforeCall(Number((call.arguments as { readonly turn?: number }).turn)),
      },
    ],
  }) as unknown as AnyAgent
}

if (process.argv[1] === import.meta.filename) {
  const [database = '', origin = '', id = '', stop] = process.argv.slice(2)
  let isStopped = stop === undefined
  const agent = threeAtOnce(origin, (turn) => {
    if (turn !== 1 || isStopped) return
    isStopped = true
    writeSync(1, 'stopped\n')
    process.kill(process.pid, 'SIGSTOP')
  })
  await startWorker([durable(agent, { database })], { id, pollMs: 50, deadAfterMs: 800 })
  process.stdout.write('ready\n')
}
