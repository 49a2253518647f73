// The workflow with Capstan.
import '../../local-service.js'
import { Agent, type RunState, tool } from '@capstan/core'
import * as z from 'zod'

const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number',
  parameters: z.object({ order: z.int() }),
  effects: 'read',
  execute: ({ order }) => ({ order, total: 42 }),
})

const summarizer = new Agent({
  name: 'summarizer',
  model: 'planner',
  instructions: 'You sum an order up.',
  tools: [findOrder],
})

/** The step that a person approves. */
const refund = tool({
  name: 'refund_order',
  description: 'Refunds an order',
  parameters: z.object({ order: z.int(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 40,
  execute: ({ order, amount }) => ({ order, refunded: amount }),
})

const refunder = new Agent({ name: 'refunder', model: 'planner', tools: [refund] })

/** First step, then second step: a function around two runs. It returns a state that waits. */
async function startRefund(order: number, log: (line: string) => void): Promise<string> {
  const { text, toolCalls } = await summarizer.run(`Find order ${order}.`)
  log(text)
  const [call] = toolCalls
  const amount = call && !call.dynamic && call.status === 'ok' ? call.result.total : 0
  const asked = await refunder.run(`Call refund_order with ${JSON.stringify({ order, amount })}`)
  for (const { name, arguments: given } of asked.pending ?? []) log(`waits: ${name} ${JSON.stringify(given)}`)
  return JSON.stringify(asked.state)
}

/** Later, perhaps in another process. */
async function finishRefund(stored: string, isApproved: boolean): Promise<string> {
  const state = JSON.parse(stored) as RunState
  const decision = isApproved
    ? ({ type: 'approve' } as const)
    : ({ type: 'deny', reason: 'too much money' } as const)
  const calls = state.pending ?? []
  const decisions = Object.fromEntries(calls.map(({ callId }) => [callId, decision]))
  const { toolCalls } = await refunder.run(state, { decisions })
  const [call] = toolCalls
  return `refunded ${call && !call.dynamic && call.status === 'ok' ? call.result.refunded : 0}`
}

export async function refundOrders(log: (line: string) => void): Promise<void> {
  log(await finishRefund(await startRefund(7, log), true))
  log(await finishRefund(await startRefund(8, log), false))
}
