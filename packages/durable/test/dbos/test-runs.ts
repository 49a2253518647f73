import { type AnyAgent, tool } from '@capstan/core'
import { afterEach } from 'vitest'
import * as z from 'zod'
import { type DbosAgent, type DbosOptions, durable, startWorker, type WorkerOptions } from '../../src/dbos.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

let count = 0

/** Runs of an agent in a queue of their own, so that no test takes what another left. */
export function keptIn(database: string) {
  return <const A extends AnyAgent>(agent: A, options: DbosOptions & { readonly context?: unknown } = {}) => {
    const runs = durable(agent, { database, queue: `q${count++}`, ...options } as never)
    closing.push(() => runs.close())
    return runs
  }
}

/** A worker for the length of a test, or until it is closed. */
export async function working(runs: DbosAgent | readonly DbosAgent[], options: WorkerOptions = {}) {
  const worker = await startWorker([runs].flat(), { deadAfterMs: 400, pollMs: 20, ...options })
  let close = () => worker.close()
  closing.push(() => close())
  return {
    close: () => {
      const closed = close()
      close = async () => {}
      return closed
    },
  }
}

export const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
