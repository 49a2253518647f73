import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool } from './index.js'
import { verdict } from './tools/policies.js'
import { tool } from './tools/tool.js'

let ran: string[] = []
const named = (name: string, further: object = {}) =>
  tool({
    name,
    description: name,
    parameters: z.object({}),
    execute: () => {
      ran.push(name)
      return name
    },
    ...further,
  })

test('where nobody can be asked, what needs a yes is denied, and the run goes on', async () => {
  ran = []
  const model = scriptedModel([
    reply.calls(reply.call('wish'), reply.call('policy'), reply.call('free')),
    reply.text('Done.'),
  ])
  const tools = [named('wish', { needsApproval: true }), named('policy'), named('free')]
  const agent = new Agent({
    model,
    tools,
    policy: ({ name }) => (name === 'policy' ? verdict.ask('it is dear.') : verdict.allow),
  })
  const { stopReason, toolCalls } = await agent.run('Go.', { unattended: true })
  expect(stopReason).toBe('done')
  expect(toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ['wish', 'denied'],
    ['policy', 'denied'],
    ['free', 'ok'],
  ])
  expect(toolCalls[1]?.content).toContain('it is dear. This run cannot request approvals')
  expect(ran).toEqual(['free'])
})

test('so it is in agents within it', async () => {
  ran = []
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('wish'), reply.text('I may not.')]),
    tools: [named('wish', { needsApproval: true })],
  })
  const model = scriptedModel([reply.call('inner', { input: 'Go.' }), reply.text('It may not.')])
  const { text: said, stopReason } = await new Agent({ model, tools: [agentTool(inner)] }).run('Go.', {
    unattended: true,
  })
  expect([stopReason, said, ran]).toEqual(['done', 'It may not.', []])
})

test('what the caller answers itself waits for it all the same', async () => {
  const model = scriptedModel([reply.call('own')])
  const own = tool({ name: 'own', description: 'own', parameters: z.object({}) })
  const { stopReason, pending } = await new Agent({ model, policy: () => verdict.ask('?') }).run('Go.', {
    unattended: true,
    tools: [own],
  })
  expect(stopReason).toBe('pending')
  expect(pending).toMatchObject([{ name: 'own', kind: 'result' }])
})

test('what a tool stores is told, once it is stored', async () => {
  const bytes = new TextEncoder().encode('hello')
  const draw = named('draw', {
    execute: (_: unknown, { artifacts }: { artifacts: { put: (...args: unknown[]) => unknown } }) =>
      artifacts.put(bytes, { kind: 'text', mediaType: 'text/plain' }),
  })
  const seen: string[] = []
  const agent = new Agent({ model: scriptedModel([reply.call('draw'), reply.text('There.')]), tools: [draw] })
  const { artifacts } = await agent.run('Draw.', {
    observe: (event) => {
      if (event.type === 'artifact-stored') seen.push(event.artifact.id)
    },
  })
  expect(seen).toEqual(artifacts.map(({ id }) => id))
  expect(seen).toHaveLength(1)
})
