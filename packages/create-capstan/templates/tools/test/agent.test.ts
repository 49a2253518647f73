import { checkTools, reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import { agent, cancelOrder, findOrder } from '../src/agent.js'

test('finds an order, then cancels it', async () => {
  const model = scriptedModel([
    reply.call('find_order', { order: 7 }),
    reply.call('cancel_order', { order: 7 }),
    reply.text('Order 7 is cancelled.'),
  ])
  const result = await agent.run('Please cancel my order 7.', { model })
  expect(result).toHaveCalledTools(['find_order', 'cancel_order'])
})

test('reports to the model that an order is shipped', async () => {
  const model = scriptedModel([
    reply.call('cancel_order', { order: 8 }),
    reply.text('It is on its way.', { asked: /Order 8 is shipped/ }),
  ])
  const { toolCalls } = await agent.run('Please cancel my order 8.', { model })
  expect(toolCalls[0]?.status).toBe('error')
})

test('a model can use the tools', () => {
  expect(checkTools([findOrder, cancelOrder]).findings).toEqual([])
})
