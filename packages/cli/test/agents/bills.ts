import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const payBill = tool({
  name: 'pay_bill',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number().describe('The amount in euros') }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

export default new Agent({ name: 'bills', model: 'planner', tools: [payBill] })
