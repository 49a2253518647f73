import { expect, test } from 'vitest'
import * as z from 'zod'
import { agentTool, askOncePerTool, type CreateHost, type RunState, tool } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { expectSound, throughJson } from '../run-control/soundness.js'
import { send, startCompany, toWorker } from './company.js'

const yes = { type: 'approve' } as const
const told = (state: RunState) =>
  state.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)

test("a pending agent makes its caller pending, and resumes with the caller's decision", async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'It is done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  const asked = await company.lead().run('Go.', { runId: 'run-1' })
  expect(asked.pending).toEqual([
    {
      callId: 'lead_0_0/worker_0_0',
      name: 'send',
      agent: 'worker',
      kind: 'approval',
      arguments: { to: 'Ada' },
      reason: '"send" needs approval.',
    },
  ])
  expect(asked.usage.requests).toBe(1)
  expect(company.ran).toEqual([])
  expectSound(asked)
  const decisions = { 'lead_0_0/worker_0_0': yes }
  const done = await company.lead().run(throughJson(asked.state), { decisions })
  expect(done).toMatchObject({ stopReason: 'done', text: 'It is done.' })
  expect(done.usage).toMatchObject({ requests: 4, totalTokens: 60, toolCalls: 2 })
  expect(told(done.state)).toEqual(['Sent.'])
  expect(company.ran).toEqual(['send {"to":"Ada"}'])
  expect(company.conflicts()).toEqual([])
  expect(done.state.children).toBeUndefined()
  expect(done.state.decisions).toBeUndefined()
  expectSound(done)
})

test('one agent is pending twice in one call, under different keys', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Both.'],
    worker: [[send('Ada')], [send('Bob')], 'Sent twice.'],
  })
  const first = await company.lead().run('Go.', { runId: 'run-1' })
  const second = await company
    .lead()
    .run(throughJson(first.state), { decisions: { 'lead_0_0/worker_0_0': yes } })
  expect(second.pending).toMatchObject([{ callId: 'lead_0_0/worker_1_0', arguments: { to: 'Bob' } }])
  expectSound(second)
  const done = await company
    .lead()
    .run(throughJson(second.state), { decisions: { 'lead_0_0/worker_1_0': yes } })
  expect(done.text).toBe('Both.')
  expect(company.ran).toEqual(['send {"to":"Ada"}', 'send {"to":"Bob"}'])
  expect(company.conflicts()).toEqual([])
  expect(done.usage.requests).toBe(5)
})

test('a finished agent does not run again when its parallel agent resumes', async () => {
  await using company = await startCompany({
    lead: [[toWorker('Wait.'), toWorker('Look.')], 'Both.'],
    worker: [
      ({ body }) => (body.messages.at(-1)?.content === 'Wait.' ? [send('Ada')] : 'Seen.'),
      ({ body }) => (body.messages.at(-1)?.content === 'Wait.' ? [send('Ada')] : 'Seen.'),
      'Sent.',
    ],
  })
  const asked = await company.lead().run('Go.')
  const [call] = asked.pending ?? []
  expect(call?.callId).toMatch(/^lead_0_0\//)
  expect(Object.keys(asked.state.results)).toEqual(['1'])
  const done = await company
    .lead()
    .run(throughJson(asked.state), { decisions: { [String(call?.callId)]: yes } })
  expect(told(done.state)).toEqual(['Sent.', 'Seen.'])
  expect(done.usage.requests).toBe(company.server.requests.length)
})

test('of two pending agents, the decided one resumes and the other stays pending', async () => {
  await using company = await startCompany({
    lead: [[toWorker(), toWorker()], 'Both.'],
    worker: [[send('Ada')], [send('Bob')], 'Sent.', 'Sent too.'],
  })
  const asked = await company.lead().run('Go.')
  const [one, other] = (asked.pending ?? []).map(({ callId }) => callId) as [string, string]
  const half = await company.lead().run(throughJson(asked.state), { decisions: { [other]: yes } })
  expect(half.pending).toMatchObject([{ callId: one }])
  expect(company.ran).toHaveLength(1)
  const done = await company.lead().run(throughJson(half.state), { decisions: { [one]: yes } })
  expect(told(done.state)).toEqual(['Sent too.', 'Sent.'])
  expect(company.ran).toHaveLength(2)
})

test('two pending calls of one agent can be decided one by one', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Both.'],
    worker: [[send('Ada'), send('Bob')], 'Sent.'],
  })
  const asked = await company.lead().run('Go.', { runId: 'run-1' })
  const half = await company
    .lead()
    .run(throughJson(asked.state), { decisions: { 'lead_0_0/worker_0_1': yes } })
  expect(half.pending).toMatchObject([{ callId: 'lead_0_0/worker_0_0' }])
  const done = await company
    .lead()
    .run(throughJson(half.state), { decisions: { 'lead_0_0/worker_0_0': yes } })
  expect(done.stopReason).toBe('done')
  expect(company.ran).toEqual(['send {"to":"Bob"}', 'send {"to":"Ada"}'])
  expect(company.conflicts()).toEqual([])
})

test('a decision reaches an agent of an agent', async () => {
  await using company = await startCompany({
    lead: [[['middle', { input: 'Go.' }]], 'Done.'],
    middle: [[toWorker()], 'Asked.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  const lead = () => {
    const middle = company.agent('middle', { tools: [agentTool(company.agent('worker'))] })
    return company.agent('lead', { tools: [agentTool(middle)] })
  }
  const asked = await lead().run('Go.')
  expect(asked.pending).toMatchObject([{ callId: 'lead_0_0/middle_0_0/worker_0_0', agent: 'worker' }])
  const decisions = { 'lead_0_0/middle_0_0/worker_0_0': yes }
  const done = await lead().run(throughJson(asked.state), { decisions })
  expect(done).toMatchObject({ text: 'Done.', usage: { requests: 6 } })
  expect(company.ran).toEqual(['send {"to":"Ada"}'])
})

test.each([
  ['together', [['lead_0_0/worker_0_0', 'lead_0_1']]],
  ['the own call first', [['lead_0_1'], ['lead_0_0/worker_0_0']]],
  ["the agent's call first", [['lead_0_0/worker_0_0'], ['lead_0_1']]],
])('a call of an agent and one of its caller wait side by side, decided %s', async (_, rounds) => {
  await using company = await startCompany({
    lead: [[toWorker(), send('Bob')], 'Done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  let run = await company.lead().run('Go.')
  expect(run.pending?.map(({ callId }) => callId).sort()).toEqual(['lead_0_0/worker_0_0', 'lead_0_1'])
  for (const ids of rounds) {
    const decisions = Object.fromEntries(ids.map((id) => [id, yes]))
    run = await company.lead().run(throughJson(run.state), { decisions })
    expectSound(run)
  }
  expect(told(run.state)).toEqual(['Sent.', 'sent to Bob'])
  expect([...company.ran].sort()).toEqual(['send {"to":"Ada"}', 'send {"to":"Bob"}'])
  expect(company.conflicts()).toEqual([])
})

test('the model of the child agent reads a denial', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Well.'],
    worker: [[send('Ada')], 'I may not.'],
  })
  const asked = await company.lead().run('Go.')
  const decisions = { 'lead_0_0/worker_0_0': { type: 'deny', reason: 'not today' } as const }
  const done = await company.lead().run(throughJson(asked.state), { decisions })
  expect(company.server.of('worker')[1]?.body.messages.at(-1)?.content).toMatch(/denied: not today/)
  expect(told(done.state)).toEqual(['I may not.'])
  expect(company.ran).toEqual([])
})

test('validates edited arguments against the tool of the child agent before anything runs', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  // Of the same name as the agent's own, with other arguments.
  const namesake = tool({ name: 'send', description: 'Another', parameters: z.object({ n: z.number() }) })
  const tools = [agentTool(company.agent('worker')), namesake]
  const asked = await company.lead({ tools }).run('Go.')
  const decided = (args: Record<string, unknown>) =>
    company.lead({ tools }).run(throughJson(asked.state), {
      decisions: { 'lead_0_0/worker_0_0': { type: 'approve', arguments: args } },
    })
  await expect(decided({ n: 1 })).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(company.server.requests).toHaveLength(2)
  expect((await decided({ to: 'Eve' })).stopReason).toBe('done')
  expect(company.ran).toEqual(['send {"to":"Eve"}'])
})

test('rejects a decision on a call that no agent made', async () => {
  await using company = await startCompany({ lead: [[toWorker()]], worker: [[send('Ada')]] })
  const { state } = await company.lead().run('Go.')
  await expect(company.lead().run(state, { decisions: { worker_0_0: yes } })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('lead_0_0/worker_0_0'),
  })
})

test('passes a result of the caller to the agent that called for it', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Blue.'],
    worker: [[['question', { text: 'Which colour?' }]], 'It is blue.'],
  })
  const asked = await company.lead().run('Go.')
  const decisions = { 'lead_0_0/worker_0_0': { type: 'result', value: 'blue' } as const }
  const done = await company.lead().run(throughJson(asked.state), { decisions })
  expect(told(done.state)).toEqual(['It is blue.'])
})

test('the call of an agent can need an approval and be edited, and its record shows it', async () => {
  await using company = await startCompany({
    lead: [[toWorker('All of it.')], [toWorker('More.')], 'Done.'],
    worker: [[send('Ada')], 'A part is done.', 'More is done.'],
  })
  const lead = () => company.lead({ policy: askOncePerTool() })
  const asked = await lead().run('Go.', { runId: 'run-1' })
  expect(asked.pending).toMatchObject([{ callId: 'lead_0_0', name: 'worker', agent: 'lead' }])
  const approve = { type: 'approve', arguments: { input: 'A part.' } } as const
  const inside = await lead().run(throughJson(asked.state), { decisions: { lead_0_0: approve } })
  expect(company.server.of('worker')[0]?.body.messages.at(-1)?.content).toBe('A part.')
  expect(inside.pending).toMatchObject([{ callId: 'lead_0_0/worker_0_0' }])
  const done = await lead().run(throughJson(inside.state), { decisions: { 'lead_0_0/worker_0_0': yes } })
  // The policy asks once per tool: the yes is remembered.
  expect(done.stopReason).toBe('done')
  expect(done.toolCalls[0]).toMatchObject({ approved: true, arguments: { input: 'A part.' } })
  expect(company.conflicts()).toEqual([])
})

test('a waiting run takes decisions on calls of child agents', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  const run = company.lead().stream('Go.', { wait: true })
  const refused: unknown[] = []
  for await (const event of run) {
    if (event.type !== 'call-pending') continue
    expect(event).toMatchObject({ callId: 'lead_0_0/worker_0_0', parentCallId: 'lead_0_0', agent: 'worker' })
    await run
      .decide(event.callId, { type: 'approve', arguments: { to: 5 } })
      .catch((error) => refused.push(error))
    await run.decide(event.callId, yes)
  }
  expect(refused).toMatchObject([{ code: 'invalid_arguments' }])
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(company.ran).toEqual(['send {"to":"Ada"}'])
})

test('a state with a pending agent can resume as a waiting run', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  const asked = await company.lead().run('Go.')
  const run = company.lead().stream(throughJson(asked.state), { wait: true })
  run.on('call-pending', ({ callId }) => void run.decide(callId, yes))
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(company.ran).toHaveLength(1)
})

test('an agent that fails to resume can be resumed again', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Done.'],
    worker: [[send('Ada')], 'Sent.'],
  })
  const asked = await company.lead().run('Go.')
  const decisions = { 'lead_0_0/worker_0_0': yes }
  const host: CreateHost = (binding) => ({
    ...memoryHost(binding),
    all: async (steps) => steps.map(() => ({ ok: false, error: new Error('the worker is lost') })),
  })
  const failed = company.lead().run(asked.state, { decisions, host })
  const error = await failed.catch((thrown) => thrown)
  expect(error.message).toContain('the worker is lost')
  const state = throughJson(error.state) as RunState
  const done = await company.lead().run(state, { decisions: state.decisions })
  expect(done).toMatchObject({ stopReason: 'done', usage: { requests: 4 } })
  expect(company.ran).toHaveLength(1)
})

test('changed tools of an agent can be allowed, as for the run itself', async () => {
  await using company = await startCompany(
    { lead: [[toWorker()], 'Done.'], worker: [[send('Ada')], 'Sent.'] },
    'tools',
  )
  const asked = await company.lead().run('Go.')
  const fewer = company.tools.filter(({ name }) => name !== 'search')
  const changed = agentTool(company.agent('worker', { tools: fewer }))
  const done = await company.lead({ tools: [changed, ...company.tools] }).run(throughJson(asked.state), {
    decisions: { 'lead_0_0/worker_0_0': yes },
    allowChangedTools: true,
  })
  expect(done.stopReason).toBe('done')
})
