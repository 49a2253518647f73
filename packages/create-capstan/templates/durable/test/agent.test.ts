import { memoryRuns, persistent } from '@capstan/durable'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { createAgent } from '../src/agent.js'

test('cancels a booking after the approval, and not before', async () => {
  const model = scriptedModel([
    reply.call('cancel_booking', { booking: 'B-17' }),
    reply.text('It is cancelled.', { asked: /"cancelled":true/ }),
  ])
  const desk = persistent(createAgent(model), { store: memoryRuns() })
  const asked = await desk.run('Cancel booking B-17.', { runId: 'b17' })
  expect(asked.pending?.map(({ name }) => name)).toEqual(['cancel_booking'])
  await desk.decide('b17', asked.pending?.[0]?.callId ?? '', { type: 'approve' })
  expect((await desk.result('b17')).text).toBe('It is cancelled.')
  await desk.close()
})
