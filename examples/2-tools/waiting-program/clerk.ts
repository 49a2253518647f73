// One process of the run: `clerk.ts FOLDER ask` starts it, `clerk.ts FOLDER approve` decides and ends it.
import { codeMode } from '@capstan/code'
import { Agent, tool } from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pays a bill.',
  parameters: z.object({ to: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: (bill, { idempotencyKey }) => {
    console.log(`  pays ${bill.amount} to ${bill.to}, key ${idempotencyKey}`)
    return { paid: bill.amount }
  },
})

// The program that a model would write. The second bill needs approval.
const code = `let total = 0
for (const bill of [{ to: 'Ada', amount: 20 }, { to: 'Bob', amount: 500 }, { to: 'Cid', amount: 30 }])
  total += (await tools.pay(bill)).paid
return total`

const [folder = '', task] = process.argv.slice(2)
const steps = task === 'ask' ? [reply.call('run_program', { code }, { id: 'program' })] : []
const model = scriptedModel([...steps, reply.text('All bills are paid: 550.')])
const agent = new Agent({ name: 'clerk', model, tools: [pay], middleware: [codeMode()] })
const clerk = persistent(agent, { store: folderRuns(folder) })

if (task === 'ask') {
  const { stopReason, pending = [] } = await clerk.run('Pay the bills.', { runId: 'bills' })
  console.log(`  ${stopReason}:`, pending[0]?.callId, pending[0]?.arguments)
  process.kill(process.pid, 'SIGKILL')
}

const { phase, pending = [] } = await clerk.status('bills')
console.log(`  found as ${phase}:`, pending[0]?.callId, pending[0]?.arguments)
for (const { callId } of pending) await clerk.decide('bills', callId, { type: 'approve' })
const { stopReason, text } = await clerk.result('bills')
console.log(`  ${stopReason}: ${text}`)
await clerk.close()
