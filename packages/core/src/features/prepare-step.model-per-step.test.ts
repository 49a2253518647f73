import { expect, test, vi } from 'vitest'
import { named } from '../../test/call-context.js'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, type ChooseModel, memoryHost, modelPerStep, ToolError } from '../index.js'

const failing = named('look', () => {
  throw new ToolError('it is dark')
})

/** A small model, and a strong one after a failed call. */
function agentOf(choose?: ChooseModel) {
  const small = scriptedModel([[['look']]], 'small')
  const strong = scriptedModel(['It is dark.'], 'strong')
  const usual: ChooseModel = (_call, { toolCalls }) =>
    toolCalls.some(({ status }) => status === 'error') ? strong : undefined
  const agent = new Agent({ model: small, tools: [failing], middleware: [modelPerStep(choose ?? usual)] })
  return { agent, small, strong }
}

test('a chosen model replies to one request, the usual one to others', async () => {
  const { agent, small, strong } = agentOf()
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', text: 'It is dark.' })
  expect([small, strong].map(({ requests }) => requests.length)).toEqual([1, 1])
})

test('a choice may take time, and sees the request', async () => {
  const strong = scriptedModel(['Yes.'])
  const seen: unknown[] = []
  const choose: ChooseModel = async ({ isFinal, messages }, { agent: name }) => {
    seen.push([isFinal, name, ...messages])
    return strong
  }
  const { agent, small } = agentOf(choose)
  await agent.run('Go.')
  expect(small.requests).toEqual([])
  expect(seen).toEqual([[false, 'agent', { role: 'user', content: 'Go.' }]])
})

test('the model of a run replaces the chosen one', async () => {
  const { agent, small, strong } = agentOf()
  const other = scriptedModel([[['look']], 'Still dark.'])
  expect((await agent.run('Go.', { model: other })).text).toBe('Still dark.')
  expect([...small.requests, ...strong.requests]).toEqual([])
})

test('costs are counted by the prices of the chosen model', async () => {
  const strong = scriptedModel(['Yes.'], 'strong')
  const agent = new Agent({
    model: scriptedModel([], 'small'),
    middleware: [modelPerStep(() => strong)],
    price: { small: { inputTokens: 0, outputTokens: 0 }, strong: { inputTokens: 1, outputTokens: 2 } },
  })
  expect((await agent.run('Go.')).usage.cost).toBe(20)
})

test('a value that is not a model is an error', async () => {
  const { agent } = agentOf((() => 'strong') as never)
  await expect(agent.run('Go.')).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a replayed run does not choose again', async () => {
  const journal: Journal = new Map()
  const options = { host: journalHost(journal, memoryHost), runId: 'r' }
  const before = await agentOf().agent.run('Go.', options)
  const choose = vi.fn<ChooseModel>()
  const after = await agentOf(choose).agent.run('Go.', options)
  expect(after.state).toEqual(before.state)
  expect(choose).not.toHaveBeenCalled()
})
