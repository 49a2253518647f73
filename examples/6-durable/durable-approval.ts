// An approval that survives its worker: PostgreSQL keeps the run, and another worker resumes it after the decision.
import { Agent, chatModel, tool } from '@capstan/core'
import { durable, startWorker } from '@capstan/durable/dbos'
import { startService } from '@capstan/service'
import * as z from 'zod'
import { startPostgres } from '../../scripts/postgres.mjs'

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  needsApproval: true,
  execute: ({ booking }, { idempotencyKey }) => ({ booking, cancelled: true, key: idempotencyKey }),
})

async function main(database: string): Promise<void> {
  const service = await startService()
  const model = chatModel('planner', service)
  const agent = new Agent({ name: 'desk', model, tools: [cancelBooking] })

  // #region face
  const desk = durable(agent, { database })
  const worker = await startWorker([desk])
  const asked = await desk.run('Cancel booking B-17.', { runId: 'cancel-b17' })
  console.log('It waits for:', asked.pending?.[0]?.name, asked.pending?.[0]?.arguments)

  await worker.close()
  console.log('No worker is left, and the run is', (await desk.status('cancel-b17')).phase)

  const callId = asked.pending?.[0]?.callId ?? ''
  await desk.decide('cancel-b17', callId, { type: 'approve' })
  await desk.decide('cancel-b17', callId, { type: 'approve' })
  console.log('It is approved, twice over')

  const another = await startWorker([desk])
  const done = await desk.result('cancel-b17')
  console.log('Another worker ended it:', done.text)
  // #endregion

  await another.close()
  await desk.close()
  await service.close()
}

const postgres = await startPostgres()
if (postgres) await main(postgres.url).finally(() => postgres.stop())
