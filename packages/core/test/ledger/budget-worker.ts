// Runs an agent again and again within a shared budget, until it has made its runs or is killed.
import * as z from 'zod'
import { Agent, chatModel, type LedgerStore, ledger, tool } from '../../src/index.js'
import { ledgerAt } from './ledger-server.js'

/** What a worker is told. */
export interface WorkerTask {
  readonly worker: string
  readonly runs: number
  readonly concurrency: number
  readonly baseURL: string
  readonly tokens: number
  readonly maxOutputTokens: number
  /** The address of a ledger server, or a module whose `open()` returns a store. */
  readonly ledger: string
}

const task: WorkerTask = JSON.parse(process.argv[2] ?? '')
const { worker, runs, concurrency, baseURL, tokens, maxOutputTokens } = task
const store: LedgerStore = task.ledger.startsWith('http')
  ? ledgerAt(task.ledger, worker)
  : await (await import(task.ledger)).open()

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const agent = new Agent({
  model: chatModel('m', { baseURL, apiKey: '' }),
  instructions: `worker ${worker}.`,
  tools: [add],
  middleware: [
    ledger({ store, key: () => 'all', limits: { tokens }, per: 1e12, maxOutputTokens, reserveMs: 1000 }),
  ],
})

let begun = 0
async function work(): Promise<void> {
  while (begun < runs) {
    begun += 1
    const { stopReason, limit } = await agent.run('Add 1 and 2, then tell the sum.')
    process.stdout.write(`${stopReason}${limit ? ` ${limit}` : ''}\n`)
  }
}
await Promise.all(Array.from({ length: concurrency }, work))
process.exit(0)
