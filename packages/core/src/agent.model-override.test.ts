import { expect, test } from 'vitest'
import * as z from 'zod'
import { type Said, scriptedModel } from '../test/scripted-model.js'
import { handoff } from './features/agents/handoff.js'
import { Agent, agentTool, compactHistory } from './index.js'
import { tool } from './tools/tool.js'
import type { ChatModel } from './types/model.js'

const never: ChatModel = {
  name: 'never',
  complete: async () => {
    throw new Error('this model must not be asked')
  },
}

const ask: Said = [['helper', { input: 'How many?' }]]

const helper = new Agent({ name: 'helper', model: never })
const boss = new Agent({ name: 'boss', model: never, tools: [agentTool(helper)] })

test('a run asks its own model in place of all others', async () => {
  const model = scriptedModel([ask, 'three', 'There are three.'])
  const { text } = await boss.run('How many are there?', { model })
  expect(text).toBe('There are three.')
  expect(model.requests).toHaveLength(3)
})

test('a function is given each model and whose it is, once', async () => {
  const model = scriptedModel([ask, 'three', 'There are three.'])
  const asked: string[] = []
  const instead = (own: ChatModel, agent: string) => {
    asked.push(`${agent} ${own.name}`)
    return model
  }
  await boss.run('How many are there?', { model: instead })
  expect(asked.sort()).toEqual(['boss never', 'helper never'])
})

test('what a function wraps is not wrapped again', async () => {
  const inner = scriptedModel(['Hello.'])
  const agent = new Agent({ model: inner, prepareStep: () => ({ model: inner }) })
  let wrapped = 0
  await agent.run('Hi', {
    model: (own) => {
      wrapped += 1
      return { name: own.name, complete: (request, sink) => own.complete(request, sink) }
    },
  })
  expect(wrapped).toBe(1)
})

test('an agent that goes on after a handoff, prepareStep and summaries ask it as well', async () => {
  const other = new Agent({ name: 'other', model: never, prepareStep: () => ({ model: never }) })
  const first = new Agent({
    model: never,
    tools: [handoff(other)],
    middleware: [
      compactHistory(async ({ messages, ask }) => {
        await ask([{ role: 'user', content: 'Sum up.' }])
        return messages
      }),
    ],
  })
  const model = scriptedModel(['a summary', [['transfer_to_other', {}]], 'I am the other one.'])
  const { text } = await first.run('Hi', { model })
  expect(text).toBe('I am the other one.')
})

test('an agent tells its tools', () => {
  const add = tool({ name: 'add', description: 'Adds', parameters: z.object({}), execute: () => 1 })
  const agent = new Agent({ model: never, tools: [add] })
  expect(agent.tools).toEqual([add])
  expect(Object.isFrozen(agent.tools)).toBe(true)
})

test("what is one agent's replacement is another's own, and replaced as such", async () => {
  const [one, other] = [scriptedModel(['I am one.'], 'one'), scriptedModel([ask, 'I am other.'], 'other')]
  const inner = new Agent({ name: 'helper', model: other })
  const outer = new Agent({ name: 'boss', model: one, tools: [agentTool(inner)] })
  const asked: string[] = []
  const crossed = (own: ChatModel, agent: string) => {
    asked.push(`${agent} ${own.name}`)
    return own === one ? other : one
  }
  await outer.run('Go.', { model: crossed })
  expect(asked).toEqual(['boss one', 'helper other'])
  expect([one.requests.length, other.requests.length]).toEqual([1, 2])
})

test('a limit on costs is kept by the prices of the model that is asked', async () => {
  const priced = scriptedModel(['Hi.'], 'priced')
  const agent = new Agent({
    model: never,
    price: { priced: { inputTokens: 1, outputTokens: 1 } },
    limits: { cost: 100 },
  })
  expect((await agent.run('Hi', { model: priced })).text).toBe('Hi.')
  await expect(agent.run('Hi')).rejects.toThrow(/needs a price for "never"/)
})

test.each(['gpt', null, {}, () => undefined])('what is no model is refused at once: %s', async (model) => {
  const run = boss.run('Hi', { model: model as never })
  await expect(run).rejects.toMatchObject({ code: 'invalid_request' })
})
