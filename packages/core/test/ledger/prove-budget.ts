import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { memoryLedger } from '../../src/index.js'
import type { WorkerTask } from './budget-worker.js'
import { type Asked, startGreedyServer } from './greedy-server.js'
import { startLedgerServer } from './ledger-server.js'

export interface BudgetProof {
  readonly processes: number
  readonly runs: number
  readonly kills: number
  /** Runs of a process at a time. */
  readonly concurrency: number
  /** The limit of all runs together. */
  readonly tokens: number
  /** A module whose `open()` returns the store for a worker. Default: a ledger in this process, behind a server. */
  readonly ledger?: string
}

export interface BudgetOutcome {
  /** The tokens that the model server has charged for. */
  readonly charged: number
  readonly killed: number
  /** The number of runs by their end. Runs of killed processes have none. */
  readonly ends: Readonly<Record<string, number>>
}

const program = fileURLToPath(new URL('./budget-worker.ts', import.meta.url))
const maxOutputTokens = 1000
/** What a request is charged for, with its input. */
const tokensOfRequest = 1200

/**
 * Runs an agent in several processes that share a budget. Some are killed within a request, after the server has charged
 * for it; some after they have reserved, before they ask. Others take their places.
 */
export async function proveBudget(proof: BudgetProof): Promise<BudgetOutcome> {
  const { processes, runs, kills, tokens, concurrency } = proof
  const children = new Map<string, ChildProcess>()
  const ends: Record<string, number> = {}
  let killed = 0
  // Spread over the requests that the budget has room for.
  const every = Math.max(2, Math.floor(tokens / tokensOfRequest / (kills + 1)))
  /** Returns a function that kills the worker of every so many events: that of a later one if it is dead already. */
  const killer = (first: number) => {
    let events = 0
    let due = 0
    return (worker = '') => {
      events += 1
      if (events % (2 * every) === first) due += 1
      const child = due > 0 && killed < kills ? children.get(worker) : undefined
      if (!child?.kill('SIGKILL')) return
      killed += 1
      due -= 1
      children.delete(worker)
    }
  }
  const killInRequest = killer(every)
  const killBefore = killer(0)
  await using server = await startGreedyServer({
    answer(asked) {
      killInRequest(workerOf(asked))
      const isAdded = asked.messages.at(-1)?.role === 'tool'
      return isAdded ? { text: 'The sum is 3.' } : { calls: [['add', { a: 1, b: 2 }]] }
    },
    delayMs: 5,
  })
  await using shared = await startLedgerServer(memoryLedger(), killBefore)
  const { baseURL } = server
  const start = (worker: string, share: number): Promise<void> => {
    const task: WorkerTask = {
      ...{ worker, baseURL, tokens, maxOutputTokens, runs: share, concurrency },
      ledger: proof.ledger ?? shared.address,
    }
    const args = ['--conditions=development', '--import=tsx', program, JSON.stringify(task)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.set(worker, child)
    let ended = 0
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      for (const end of text.split('\n').filter(Boolean)) {
        ended += 1
        ends[end] = (ends[end] ?? 0) + 1
      }
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        if (signal === 'SIGKILL') resolve(share > ended ? start(`${worker}+`, share - ended) : undefined)
        else if (code === 0) resolve()
        else reject(new Error(`Worker ${worker} ended with ${code ?? signal}.`))
      })
    })
  }
  const share = Math.ceil(runs / processes)
  try {
    await Promise.all(Array.from({ length: processes }, (_, at) => start(`w${at}`, share)))
  } finally {
    for (const child of children.values()) child.kill('SIGKILL')
  }
  return { charged: server.charged, killed, ends }
}

function workerOf({ messages }: Asked): string | undefined {
  return /worker ([\w+]+)\./.exec(String(messages[0]?.content))?.[1]
}
