// One process of a durable run: `clerk.ts FOLDER ask` starts it, `clerk.ts FOLDER approve` decides and ends it.
import { Agent, tool } from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'
import * as z from 'zod'

const payInvoice = tool({
  name: 'pay_invoice',
  description: 'Pays an invoice',
  parameters: z.object({ invoice: z.string().describe('Number of the invoice') }),
  needsApproval: true,
  // The key is the same in every attempt: a bank that recognizes it pays once.
  execute: ({ invoice }, { idempotencyKey }) => ({ invoice, paid: true, key: idempotencyKey }),
})

const [folder = '', task] = process.argv.slice(2)
const agent = new Agent({ name: 'clerk', model: 'planner', tools: [payInvoice] })
const clerk = persistent(agent, { store: folderRuns(folder) })

if (task === 'ask') {
  const { stopReason, pending = [] } = await clerk.run('Pay the invoice R-7.', { runId: 'invoice-r7' })
  console.log(`  ${stopReason}:`, pending[0]?.name, pending[0]?.arguments)
  process.kill(process.pid, 'SIGKILL')
}

const { phase, pending = [] } = await clerk.status('invoice-r7')
console.log(`  found as ${phase}:`, pending[0]?.name, pending[0]?.arguments)
for (const { callId } of pending) await clerk.decide('invoice-r7', callId, { type: 'approve' })
const { stopReason, text } = await clerk.result('invoice-r7')
console.log(`  ${stopReason}: ${text}`)
await clerk.close()
