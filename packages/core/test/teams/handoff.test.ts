import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool, handoff, type RunEvent, tool, verdict } from '../../src/index.js'
import { expectSound, throughJson } from '../run-control/soundness.js'
import { type Company, send, startCompany } from './company.js'

/** A `desk` that hands over to `billing`, which can hand back. */
function office(company: Company) {
  const billing = company.agent('billing', {
    instructions: 'You are billing.',
    tools: [handoff('desk', { name: 'back' }), ...company.tools],
    policy: ({ name }) => (name === 'save' ? verdict.deny('billing saves nothing') : { type: 'allow' }),
  })
  return company.agent('desk', {
    instructions: 'You are the desk.',
    tools: [handoff(billing), ...company.tools.filter(({ name }) => name === 'search')],
  })
}

const over = ['transfer_to_billing'] as const
const namesOf = (tools: readonly unknown[] = []) =>
  (tools as { function: { name: string } }[]).map((one) => one.function.name)

test('another agent continues the conversation with its model, instructions, tools and policies', async () => {
  await using company = await startCompany({
    desk: [[over]],
    billing: [[['save', { amount: 1 }]], 'You owe nothing.'],
  })
  const events: RunEvent[] = []
  const result = await office(company).run('What do I owe?', { observe: (event) => events.push(event) })
  expect(result).toMatchObject({ stopReason: 'done', text: 'You owe nothing.', state: { agent: 'billing' } })
  const [, request] = company.server.requests
  expect(request?.body).toMatchObject({
    model: 'billing',
    messages: [{ content: 'You are billing.' }, { content: 'What do I owe?' }, {}, { role: 'tool' }],
  })
  expect(namesOf(request?.body.tools)).toContain('save')
  expect(namesOf(request?.body.tools)).not.toContain('transfer_to_billing')
  expect(events).toContainEqual(expect.objectContaining({ type: 'handed-off', to: 'billing', step: 0 }))
  expect(result.toolCalls).toMatchObject([
    { name: 'transfer_to_billing', status: 'ok' },
    { name: 'save', status: 'denied', dynamic: true },
  ])
  expect(result.usage).toMatchObject({ requests: 3, perTool: { transfer_to_billing: 1, save: 1 } })
  expect(company.ran).toEqual([])
  expectSound(result)
})

test('hands over there, back and there again by name', async () => {
  await using company = await startCompany({
    desk: [[over], [over], 'not asked'],
    billing: [[['back']], 'Here I am.'],
  })
  const events: RunEvent[] = []
  const { text, state } = await office(company).run('Hello', { observe: (event) => events.push(event) })
  expect(text).toBe('Here I am.')
  expect(state.agent).toBe('billing')
  expect(events.flatMap((event) => (event.type === 'handed-off' ? [event.to] : []))).toEqual([
    'billing',
    'desk',
    'billing',
  ])
  expect(company.server.requests.map(({ body }) => body.model)).toEqual([
    'desk',
    'billing',
    'desk',
    'billing',
  ])
})

test('a state of the other agent resumes with it, and decisions are checked against its tools', async () => {
  await using company = await startCompany({ desk: [[over]], billing: [[send('Ada')], 'Sent.'] })
  const asked = await office(company).run('Send it.')
  expect(asked.pending).toMatchObject([{ callId: 'billing_0_0', agent: 'billing' }])
  const decided = (args: Record<string, unknown>) => {
    const decisions = { billing_0_0: { type: 'approve', arguments: args } as const }
    return office(company).run(throughJson(asked.state), {
      decisions,
      observe: (event) => events.push(event),
    })
  }
  const events: RunEvent[] = []
  await expect(decided({ to: 5 })).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(await decided({ to: 'Eve' })).toMatchObject({ stopReason: 'done', text: 'Sent.' })
  expect(events[0]).toMatchObject({ type: 'run-start', agent: 'billing' })
  expect(company.ran).toEqual(['send {"to":"Eve"}'])
})

test('a waiting run takes decisions on calls of the other agent', async () => {
  await using company = await startCompany({ desk: [[over]], billing: [[send('Ada')], 'Sent.'] })
  const run = office(company).stream('Send it.', { wait: true })
  run.on('call-pending', async ({ callId }) => {
    await expect(run.decide(callId, { type: 'approve', arguments: { to: 5 } })).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
    await run.decide(callId, { type: 'approve' })
  })
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'Sent.' })
})

test('limits and usage of the run continue after a handoff', async () => {
  await using company = await startCompany({
    desk: [[['search', { q: 'x' }]], [over]],
    billing: [[['search', { q: 'y' }]], 'That is all.'],
  })
  const result = await office(company).run('Go.', { limits: { toolCalls: 2 } })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'toolCalls', text: 'That is all.' })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok', 'not_run'])
})

test('calls next to a handoff belong to the agent that hands over', async () => {
  await using company = await startCompany({
    desk: [[['search', { q: 'x' }], over, ['search', { q: 'y' }]]],
    billing: ['I see.'],
  })
  const { toolCalls, text } = await office(company).run('Go.')
  expect(toolCalls).toMatchObject([{ status: 'ok' }, { status: 'ok' }, { status: 'ok' }])
  expect(company.ran).toHaveLength(2)
  expect(text).toBe('I see.')
})

test('a pending call next to a handoff is decided before the other agent continues', async () => {
  await using company = await startCompany({ desk: [[over, send('Ada')]], billing: ['I see.'] })
  const desk = () => company.agent('desk', { tools: [handoff(company.agent('billing')), ...company.tools] })
  const asked = await desk().run('Go.')
  expect(asked.state.agent).toBe('desk')
  const decisions = { desk_0_1: { type: 'deny', reason: 'no' } as const }
  const done = await desk().run(throughJson(asked.state), { decisions })
  expect(done).toMatchObject({ stopReason: 'done', text: 'I see.', state: { agent: 'billing' } })
})

test('only one agent continues, and the model reads that the others do not', async () => {
  await using company = await startCompany({
    desk: [[over, ['transfer_to_archive'], ['transfer_to_nobody']]],
    billing: ['I see.'],
  })
  const [billing, archive] = ['billing', 'archive'].map((name) => company.agent(name))
  const tools = [handoff(billing ?? ''), handoff(archive ?? ''), handoff('nobody')]
  const { toolCalls, state } = await company.agent('desk', { tools }).run('Go.')
  expect(toolCalls.map(({ status, content }) => [status, content])).toEqual([
    ['ok', 'billing has taken over the conversation.'],
    ['not_run', 'Error: only one handoff per reply is followed: "billing".'],
    ['error', 'Error: handoff failed: there is no agent "nobody".'],
  ])
  expect(state.agent).toBe('billing')
})

test('a child agent hands over only within its call', async () => {
  await using company = await startCompany({
    lead: [[['desk', { input: 'Ask.' }]], 'Done.'],
    desk: [[over]],
    billing: [[send('Ada')], 'You owe nothing.'],
  })
  const lead = () => company.agent('lead', { tools: [agentTool(office(company))] })
  const asked = await lead().run('Go.')
  expect(asked.pending).toMatchObject([{ callId: 'lead_0_0/billing_0_0', agent: 'billing' }])
  const decisions = { 'lead_0_0/billing_0_0': { type: 'approve' } as const }
  const done = await lead().run(throughJson(asked.state), { decisions })
  expect(done.toolCalls).toMatchObject([{ status: 'ok', result: 'You owe nothing.' }])
  expect(done).toMatchObject({ text: 'Done.', state: { agent: 'lead' } })
})

test('untrusted text that one agent read taints the other', async () => {
  await using company = await startCompany({ desk: [[['page']], [over]], billing: [[['save']]] })
  const billing = company.agent('billing')
  const tools = [handoff(billing), ...company.tools]
  const { pending } = await company.agent('desk', { tools }).run('Go.')
  expect(pending).toMatchObject([{ name: 'save', reason: expect.stringContaining('"page"') }])
})

test('each agent forces its tool once, and has its own output schema', async () => {
  await using company = await startCompany({ desk: [[over]], billing: [[['count', { n: 2 }]], 'Two.'] })
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => n,
  })
  const billing = company.agent('billing', { tools: [count], toolChoice: 'count' })
  const desk = company.agent('desk', { tools: [handoff(billing)], toolChoice: 'required' })
  expect((await desk.run('Go.')).text).toBe('Two.')
  const choices = company.server.requests.map(({ body }) => body.tool_choice)
  expect(choices.slice(0, 2)).toMatchObject(['required', { function: { name: 'count' } }])
  expect(choices[2] ?? 'auto').toBe('auto')
})

test('rejects a state of an agent that the run does not know', async () => {
  await using company = await startCompany({ desk: [[over]], billing: [[send('Ada')]] })
  const { state } = await office(company).run('Go.')
  await expect(office(company).run({ ...state, agent: 'sales' })).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringMatching(/"sales".*desk, billing/),
  })
})

test('rejects an agent name that makes no valid tool name', () => {
  const model = { name: 'm', complete: () => expect.unreachable() }
  const agent = new Agent({ name: 'the desk', model })
  expect(() => handoff(agent)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(() => agentTool(agent)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(agentTool(agent, { name: 'the_desk' }).name).toBe('the_desk')
})
