import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { scriptedModel } from '../test/scripted-model.js'
import { Agent, agentTool } from './index.js'

const send = named('send', () => 'sent', { needsApproval: true })
const agentOf = (...said: Parameters<typeof scriptedModel>[0]) =>
  new Agent({ model: scriptedModel(said), tools: [send] })

test('what a run begins with is plain JSON, and running it comes to what the run would', async () => {
  const agent = agentOf('Done.')
  const state = await agent.prepare('Go.', { runId: 'r', limits: { steps: 3 } })
  expect(state).toMatchObject({ runId: 'r', stepCount: 0, limits: { steps: 3 }, agent: 'agent' })
  const elsewhere = JSON.parse(JSON.stringify(state))
  const [here, there] = [await agentOf('Done.').run(state), await agent.run(elsewhere)]
  expect(there.state).toEqual(here.state)
  expect(there).toMatchObject({ text: 'Done.', stopReason: 'done', state: { runId: 'r' } })
})

test('attachments are stored and referred to, and nobody is asked', async () => {
  const agent = agentOf()
  const { messages } = await agent.prepare('Look.', { attachments: [new Uint8Array([1, 2, 3])] })
  const [artifact] = await agent.artifacts.list()
  const media = [{ artifact: artifact?.id, mediaType: 'application/octet-stream', size: 3 }]
  expect(messages).toEqual([{ role: 'user', content: 'Look.', media }])
})

test('prepare checks and keeps decisions, which the run is given again', async () => {
  const agent = agentOf([['send', {}, 'c1']], 'Done.')
  const { state } = await agent.run('Go.')
  await expect(agent.prepare(state, { decisions: { c2: { type: 'approve' } } })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const decided = await agent.prepare(state, { decisions: { c1: { type: 'approve' } } })
  expect(decided.pending).toMatchObject([{ callId: 'c1' }])
  const { decisions } = decided
  expect(await agent.run(decided, { decisions })).toMatchObject({
    text: 'Done.',
    toolCalls: [{ status: 'ok' }],
  })
})

test('an agent tells those that its runs may come to', () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel([]) })
  const outer = new Agent({ name: 'outer', model: scriptedModel([]), tools: [agentTool(inner)] })
  expect([...outer.agents.keys()]).toEqual(['outer', 'inner'])
})
