import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { handoff } from './features/agents/handoff.js'
import { Agent } from './index.js'
import { tool } from './tools/tool.js'

const named = (name: string) =>
  tool({ name, description: name, parameters: z.object({}), execute: () => name })
const forced = (name: string) => ({ type: 'function', function: { name } })

test('a run forces a tool in place of the one that its agent forces, once, also one of its own', async () => {
  const model = scriptedModel([reply.call('g'), reply.text('Done.'), reply.call('h'), reply.text('Done.')])
  const agent = new Agent({ model, tools: [named('f'), named('g')], toolChoice: 'f' })
  await agent.run('Go.', { toolChoice: 'g' })
  await agent.run('Go.', { toolChoice: 'h', tools: [named('h')] })
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
    forced('g'),
    'auto',
    forced('h'),
    'auto',
  ])
})

test('the agent that it is handed over to is free', async () => {
  const model = scriptedModel([reply.call('transfer_to_other'), reply.text('Done.')])
  const other = new Agent({ name: 'other', model, tools: [named('f')] })
  const agent = new Agent({ model, tools: [handoff(other)] })
  await agent.run('Go.', { toolChoice: 'transfer_to_other' })
  expect(model.requests[1]?.toolChoice).toBe('auto')
})

test('one that no tool has is refused before anything is asked', async () => {
  const model = scriptedModel([])
  const run = new Agent({ model, tools: [named('f')] }).run('Go.', { toolChoice: 'g' })
  await expect(run).rejects.toMatchObject({ code: 'unknown_tool' })
  expect(model.requests).toEqual([])
})

test('of a state that was handed over, a tool of the agent that goes on is forced', async () => {
  const wait = tool({ name: 'wait', description: 'wait', parameters: z.object({}) })
  const model = scriptedModel([
    reply.call('transfer_to_other'),
    reply.call('wait', {}, { id: 'w' }),
    reply.call('f'),
    reply.text('Done.'),
  ])
  const other = new Agent({ name: 'other', model, tools: [named('f'), wait] })
  const agent = new Agent({ model, tools: [handoff(other)] })
  const { state } = await agent.run('Go.')
  await agent.run(state, { decisions: { w: { type: 'result', value: 'x' } }, toolChoice: 'f' })
  expect(model.requests[2]?.toolChoice).toEqual(forced('f'))
})
