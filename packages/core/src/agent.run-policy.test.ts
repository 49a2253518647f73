import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool, handoff, type RunEvent, tool, verdict } from './index.js'

const named = (name: string) =>
  tool({ name, description: name, parameters: z.object({}), execute: () => name })

test('a policy of the run judges beside the one of the agent; the strictest verdict counts', async () => {
  const script = [reply.calls(reply.call('f'), reply.call('g')), reply.text('Done.')]
  const agent = new Agent({
    model: scriptedModel(script),
    tools: [named('f'), named('g')],
    policy: ({ name }) => (name === 'f' ? verdict.deny('never.') : verdict.allow),
  })
  const ask = ({ name }: { name: string }) => verdict.ask(`${name} of this run`)
  const { pending, steps } = await agent.run('Go.', { policy: [ask] })
  expect(pending).toMatchObject([{ name: 'g', reason: 'g of this run' }])
  expect(steps.flatMap(({ toolCalls }) => toolCalls)).toMatchObject([{ name: 'f', status: 'denied' }])
})

test('a policy of the run judges calls of child agents and of agents that take over', async () => {
  const model = scriptedModel([
    reply.call('inner', { input: 'Go.' }),
    reply.call('f'),
    reply.text('No.'),
    reply.call('transfer_to_other'),
    reply.call('g'),
    reply.text('Done.'),
  ])
  const inner = new Agent({ name: 'inner', model, tools: [named('f')] })
  const other = new Agent({ name: 'other', model, tools: [named('g')] })
  const tools = [agentTool(inner, { description: 'inner' }), handoff(other)]
  const judged: string[] = []
  await new Agent({ model, tools }).run('Go.', {
    policy({ name }) {
      judged.push(name)
      return verdict.allow
    },
  })
  expect(judged).toEqual(expect.arrayContaining(['f', 'g']))
})

test('instructions of the run stand in place of those of its agent alone', async () => {
  const model = scriptedModel([reply.call('transfer_to_other'), reply.text('Done.'), reply.text('Hi.')])
  const other = new Agent({ name: 'other', model, instructions: 'Own of other.' })
  const agent = new Agent({ model, tools: [handoff(other)], instructions: 'Own.' })
  await agent.run('Go.', { instructions: () => 'Of the run.' })
  await agent.run('Go.')
  const systems = model.requests.map(({ messages }) => messages[0]?.content)
  expect(systems[0]).toContain('Of the run.')
  expect(systems[1]).toContain('Own of other.')
  expect(systems[2]).toContain('Own.')
})

test('the end of a call has what it spent', async () => {
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({}),
    execute: (_args, ctx) => {
      ctx.spend({ images: 2, model: 'painter' })
      return 'Drawn.'
    },
  })
  const ends: RunEvent[] = []
  const model = scriptedModel([reply.calls(reply.call('draw'), reply.call('f')), reply.text('Done.')])
  const observe = (event: RunEvent) => {
    if (event.type === 'tool-end') ends.push(event)
  }
  await new Agent({ model, tools: [draw, named('f')], observe }).run('Go.')
  expect(ends.find((end) => 'name' in end && end.name === 'draw')).toMatchObject({
    spent: [{ images: 2, model: 'painter' }],
  })
  expect(ends.find((end) => 'name' in end && end.name === 'f')).not.toHaveProperty('spent')
})
