// A typed value.
import '../../local-service.js'
import { Agent } from '@capstan/core'
import * as z from 'zod'

const reporter = new Agent({
  model: 'planner',
  output: z.object({ order: z.int(), cancelled: z.boolean() }),
})

export async function output(log: (line: string) => void): Promise<void> {
  const result = await reporter.run('Give the final answer for order 7, cancelled true.')
  const { order, cancelled } = result.orThrow().output
  log(`order ${order}, cancelled ${cancelled}`)
}
