// An agent whose program asks in the middle of a loop; also as a process of its own, which continues a state.

import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, type Decisions, type RunState, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import * as z from 'zod'
import { codeMode } from '../src/index.js'

export interface Payment {
  readonly to: string
  readonly amount: number
}

/** Pays bills; those over 100 wait for a person. `paid` gets each payment with its key. */
export function makeAgent(steps: readonly ScriptStep[], paid: (key: string, payment: Payment) => void) {
  const bills = tool({
    name: 'bills',
    description: 'Lists the open bills.',
    parameters: z.object({}),
    effects: 'read',
    execute: () => [
      { to: 'ada', amount: 20 },
      { to: 'bob', amount: 500 },
      { to: 'cid', amount: 30 },
      { to: 'dan', amount: 700 },
      { to: 'eve', amount: 40 },
    ],
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill.',
    parameters: z.object({ to: z.string(), amount: z.number() }),
    needsApproval: ({ amount }) => amount > 100,
    execute: (payment, { idempotencyKey }) => {
      paid(idempotencyKey, payment)
      return { receipt: `${payment.to}-${payment.amount}` }
    },
  })
  return new Agent({
    name: 'clerk',
    model: scriptedModel(steps),
    tools: [bills, pay],
    middleware: [codeMode()],
  })
}

export const loop = `
const receipts = []
const salt = Math.random()
for (const bill of await tools.bills()) {
  try {
    const { receipt } = await tools.pay(bill)
    receipts.push(receipt)
  } catch (error) {
    receipts.push(error.message)
  }
}
return { receipts, salt, again: Math.random() }`

export const atOnce = `
const bills = await tools.bills()
const paid = await Promise.allSettled(bills.map((bill) => tools.pay(bill)))
return paid.map(({ status, value, reason }) => value?.receipt ?? reason.message)`

export const done = reply.text('Paid.')

// As a process: continues the state in a file with decisions, writes what it leads to, and is killed.
const [, , file] = process.argv
if (file?.endsWith('.json') && process.env.CAPSTAN_WAITING === '1') {
  const { state, decisions } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly state: RunState
    readonly decisions: Decisions
  }
  const paid: (readonly [string, Payment])[] = []
  const agent = makeAgent([done], (key, payment) => paid.push([key, payment]))
  const { state: next, toolCalls, pending = [] } = await agent.run(state, { decisions })
  writeFileSync(file, JSON.stringify({ state: next, toolCalls, pending, paid }))
  // While the next call waits, or the run has ended.
  process.kill(process.pid, 'SIGKILL')
}
