import {
  Agent,
  type LedgerAmounts,
  type LedgerStore,
  ledger,
  memoryLedger,
  type RunEvent,
  tool,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { watchBudget } from './budget.js'
import { toErrorResponse } from './http-error.js'

const hour = 3_600_000
const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({}),
  execute: () => 3,
})

function agentWith(limits: LedgerAmounts, store: LedgerStore = memoryLedger()) {
  const options = { store, key: () => 'ada', limits }
  const model = scriptedModel([reply.call('add', {}), reply.text('Done.'), reply.text('Done.')])
  const middleware = [
    ledger({ ...options, per: hour }),
    ledger({ ...options, limits: { requests: 100 }, per: 'day', name: 'ledger-day' }),
  ]
  return new Agent({ model, tools: [add], middleware })
}

test('without a ledger a run has begun at once', async () => {
  const { begun } = watchBudget(new Agent({ model: scriptedModel([]) }))
  expect(await begun).toBeUndefined()
})

test('a run has begun once every ledger has a place for its first request, before the model answers', async () => {
  const agent = agentWith({ requests: 5 })
  const { begun, observe } = watchBudget(agent)
  const seen: string[] = []
  const see = (event: RunEvent) => {
    seen.push(event.type === 'middleware' ? `${event.name} ${event.action}` : event.type)
    observe(event)
  }
  const run = agent.run('Add.', { observe: see })
  expect(await begun).toBeUndefined()
  expect(seen).toEqual(['run-start', 'step-start', 'ledger reserved', 'ledger-day reserved'])
  expect(await run).toMatchObject({ stopReason: 'done' })
})

test('no room for the first request is 429 with Retry-After', async () => {
  const store = memoryLedger()
  await agentWith({ requests: 2 }, store).run('Add.')
  const agent = agentWith({ requests: 2 }, store)
  const { begun, observe } = watchBudget(agent)
  const before = Date.now()
  const result = await agent.run('Add.', { observe })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'ledger', stepCount: 0 })
  const error = await begun
  if (!error) return expect.unreachable('the first request was refused')
  const response = toErrorResponse(error)
  expect(response.status).toBe(429)
  expect(await response.json()).toMatchObject({ error: { code: 'budget_exceeded' } })
  const seconds = Number(response.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(before + seconds * 1000).toBeLessThanOrEqual((Math.floor(before / hour) + 2) * hour)
})

test('a request that never fits has no Retry-After', async () => {
  const agent = agentWith({ tokens: 10 })
  const { begun, observe } = watchBudget(agent)
  await agent.run('Add.', { observe })
  expect(await begun).toMatchObject({ status: 429, code: 'budget_exceeded', headers: {} })
})

test('a budget that is used up later ends the run alone', async () => {
  const agent = agentWith({ requests: 1 })
  const { begun, observe } = watchBudget(agent)
  expect(await agent.run('Add.', { observe })).toMatchObject({
    stopReason: 'limit',
    limit: 'ledger',
    stepCount: 1,
  })
  expect(await begun).toBeUndefined()
})

test('a run that fails has begun: its error is its own', async () => {
  const middleware = [ledger({ store: memoryLedger(), key: () => '', limits: { requests: 1 }, per: 'day' })]
  const agent = new Agent({ model: scriptedModel([]), middleware })
  const { begun, observe } = watchBudget(agent)
  await expect(agent.run('Add.', { observe })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await begun).toBeUndefined()
})
