import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { durable } from '../../src/dbos.js'
import { busySteps, makeBusy } from './busy.js'
import { Database } from './database.js'

/** The throughput of several DBOS workers. CPU times are in milliseconds. */
export interface Throughput {
  readonly workers: number
  readonly stepsPerSecond: number
  readonly runsPerSecond: number
  /** The number of ended runs, by worker. */
  readonly shares: readonly number[]
  readonly workerCpu: number
  readonly databaseCpu: number | undefined
  readonly transactions: number
  readonly bytes: number
  readonly connections: number
  /** What an idle worker costs per second. */
  readonly idle: {
    readonly workerCpu: number
    readonly databaseCpu: number | undefined
    readonly transactions: number
  }
}

const idleMs = 3000

/** Executes all runs concurrently on workers that have been started. */
export async function throughput(count: number, runs: number): Promise<Throughput | undefined> {
  const database = await Database.start()
  if (!database) return undefined
  const busy = durable(makeBusy(), { database: database.url, live: false })
  const start = async (from: number, to: number) => {
    const ids = Array.from({ length: to - from }, (_, at) => `run-${from + at}`)
    await Promise.all(ids.map((runId) => busy.start('Go.', { runId })))
    while ((await database.ended()) < to) await sleep(20)
  }
  const workers = await Promise.all(Array.from({ length: count }, (_, at) => startWorker(database, `w${at}`)))
  try {
    const warm = count * 10
    await start(0, warm)
    const idle = await idleLoad(workers, database)
    const before = await look(workers, database)
    const began = performance.now()
    await start(warm, warm + runs)
    const seconds = (performance.now() - began) / 1000
    const after = await look(workers, database)
    const steps = runs * busySteps
    return {
      workers: count,
      stepsPerSecond: steps / seconds,
      runsPerSecond: runs / seconds,
      shares: await database.endedByWorker(),
      workerCpu: (sum(after.cpus) - sum(before.cpus)) / steps,
      databaseCpu: difference(after.databaseCpu, before.databaseCpu, steps),
      transactions: (after.load.transactions - before.load.transactions) / steps,
      bytes: (after.load.bytes - before.load.bytes) / steps,
      connections: after.load.connections,
      idle,
    }
  } finally {
    for (const worker of workers) worker.send('end')
    await Promise.all(workers.map((worker) => once(worker, 'exit')))
    await busy.close()
    await database.stop()
  }
}

async function startWorker(database: Database, id: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url))
  const worker = fork(program, [database.url, id], { env: { ...process.env, NODE_NO_WARNINGS: '1' } })
  await once(worker, 'message')
  return worker
}

async function idleLoad(workers: readonly ChildProcess[], database: Database): Promise<Throughput['idle']> {
  const before = await look(workers, database)
  const began = performance.now()
  await sleep(idleMs)
  const after = await look(workers, database)
  const each = (workers.length * (performance.now() - began)) / 1000
  return {
    workerCpu: (sum(after.cpus) - sum(before.cpus)) / each,
    databaseCpu: difference(after.databaseCpu, before.databaseCpu, each),
    transactions: (after.load.transactions - before.load.transactions) / each,
  }
}

async function look(workers: readonly ChildProcess[], database: Database) {
  const load = await database.load()
  const cpus = await Promise.all(workers.map(cpuOfWorker))
  return { cpus, databaseCpu: database.cpu(), load }
}

async function cpuOfWorker(worker: ChildProcess): Promise<number> {
  worker.send('cpu')
  const [cpu] = await once(worker, 'message')
  return cpu as number
}

function difference(after: number | undefined, before: number | undefined, per: number): number | undefined {
  return after === undefined || before === undefined ? undefined : (after - before) / per
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
