import { type AnyAgent, tool } from '@capstan/core'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { type DbosAgent, type DbosOptions, durable, startWorker, type WorkerOptions } from '../../src/dbos.js'

let count = 0

/** Makes an agent durable on its own queue, so that tests do not share work. */
export function keptIn(database: string) {
  return <const A extends AnyAgent>(agent: A, options: DbosOptions & { readonly context?: unknown } = {}) => {
    const runs = durable(agent, { database, queue: `q${count++}`, ...options } as never)
    onTestFinished(() => runs.close())
    return runs
  }
}

/** Starts a worker that is closed at the end of the test. */
export async function working(runs: DbosAgent | readonly DbosAgent[], options: WorkerOptions = {}) {
  const worker = await startWorker([runs].flat(), { deadAfterMs: 400, pollMs: 20, ...options })
  let close = () => worker.close()
  onTestFinished(() => close())
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
