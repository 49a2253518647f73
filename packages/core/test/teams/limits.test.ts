import { expect, test } from 'vitest'
import { agentTool, handoff } from '../../src/index.js'
import { throughJson } from '../run-control/soundness.js'
import { send, startCompany, toWorker } from './company.js'

const search = (q: string) => ['search', { q }] as const

test('a limit raised while an agent is pending is raised for that agent', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'All done.'],
    worker: [[send('Ada')], [search('a')], [search('b')], 'Found.'],
  })
  const asked = await company.lead({ limits: { toolCalls: 3 } }).run('Go.')
  expect(asked.state.children?.[0]?.state.limits).toMatchObject({ toolCalls: 2 })
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  const limits = { toolCalls: 5 }
  const done = await company.lead().run(throughJson(asked.state), { decisions, limits })
  expect(done).toMatchObject({ stopReason: 'done', text: 'All done.' })
  expect(company.ran).toEqual(['send {"to":"Ada"}', 'search {"q":"a"}', 'search {"q":"b"}'])
})

test('after a handoff a limit is raised for a pending agent as well', async () => {
  await using company = await startCompany({
    desk: [[['transfer_to_lead'] as const]],
    lead: [[toWorker()], 'All done.'],
    worker: [[send('Ada')], [search('a')], 'Found.'],
  })
  const desk = company.agent('desk', { tools: [handoff(company.lead())], limits: { toolCalls: 3 } })
  const asked = await desk.run('Go.')
  expect(asked.state.children?.[0]?.state.limits).toMatchObject({ toolCalls: 1 })
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  const done = await desk.run(throughJson(asked.state), { decisions, limits: { toolCalls: 4 } })
  expect(done).toMatchObject({ stopReason: 'done', text: 'All done.' })
  expect(company.ran).toEqual(['send {"to":"Ada"}', 'search {"q":"a"}'])
})

test("an agent's own limit is not raised with the run's", async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'All done.'],
    worker: [[send('Ada')], [search('a')], 'I may not search.'],
  })
  const lead = (toolCalls: number) =>
    company.agent('lead', {
      tools: [agentTool(company.agent('worker', { limits: { toolCalls: 1 } }))],
      limits: { toolCalls },
    })
  const asked = await lead(3).run('Go.')
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  await lead(9).run(throughJson(asked.state), { decisions, limits: { toolCalls: 9 } })
  expect(company.ran).toEqual(['send {"to":"Ada"}'])
})

test('a limit set on resume holds for a pending agent, with the earlier usage', async () => {
  await using company = await startCompany({
    lead: [[search('x')], [toWorker()], 'All done.'],
    worker: [[send('Ada')], [search('a')], 'I may not search.'],
  })
  const asked = await company.lead().run('Go.')
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  await company.lead().run(throughJson(asked.state), { decisions, limits: { toolCalls: 3 } })
  expect(company.ran).toEqual(['search {"q":"x"}', 'send {"to":"Ada"}'])
})
