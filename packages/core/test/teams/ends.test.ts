import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  agentTool,
  hasCalled,
  memoryArtifacts,
  type RunEvent,
  type RunState,
  stuckDetection,
  tool,
  without,
} from '../../src/index.js'
import { expectSound, expectWholeStory, throughJson } from '../run-control/soundness.js'
import { startStrictServer } from '../run-control/strict-server.js'
import { send, startCompany, toWorker } from './company.js'
import { startTeamServer } from './team-server.js'

const answers = ({ messages }: RunState) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content)

/** The events of the run itself. */
const own = (events: readonly RunEvent[]) =>
  events.filter(({ parentCallId }) => parentCallId === undefined).map((event, seq) => ({ ...event, seq }))

test('an abort ends all running agents and counts their usage', async () => {
  const stop = new AbortController()
  const hangs = () => {
    setImmediate(() => stop.abort(new Error('Enough.')))
    return new Promise<never>(() => {})
  }
  await using company = await startCompany({
    lead: [[toWorker(), toWorker()]],
    worker: [[['search', { q: 'x' }]], [['search', { q: 'y' }]], 'One is done.', hangs],
  })
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => events.push(event)
  const result = await company.lead().run('Go.', { signal: stop.signal, observe })
  expect(result.stopReason).toBe('aborted')
  expectSound(result)
  expectWholeStory(own(events), result)
  expect(result.toolCalls.map(({ status }) => status)).toContain('cut_off')
  const cut = answers(result.state).filter((content) => /may have taken effect/.test(String(content)))
  expect(cut.length).toBeGreaterThan(0)
  // The request that was cut off counts as well.
  expect(result.usage).toMatchObject({ requests: 5, unreported: 1 })
})

test('an abort while an agent is pending leaves a valid history and counts its usage', async () => {
  await using company = await startCompany({ lead: [[toWorker(), send('Bob')]], worker: [[send('Ada')]] })
  const asked = await company.lead().run('Go.')
  const events: RunEvent[] = []
  const result = await company.lead().run(throughJson(asked.state), {
    signal: AbortSignal.abort(new Error('Enough.')),
    observe: (event) => events.push(event),
  })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['cut_off', 'not_run'])
  expect(result.usage).toMatchObject({ requests: 2, toolCalls: 2 })
  expect(result.state.children).toBeUndefined()
  expectSound(result)
  expectWholeStory(events, result)
  expect(company.ran).toEqual([])
})

test('an abort while an agent waits for a decision leaves a valid history', async () => {
  await using company = await startCompany({ lead: [[toWorker()]], worker: [[send('Ada')]] })
  const run = company.lead().stream('Go.', { wait: true })
  run.on('call-pending', () => run.abort(new Error('Enough.')))
  const result = await run.result
  expect(result).toMatchObject({ stopReason: 'aborted', usage: { requests: 2 } })
  expectSound(result)
  expect(company.ran).toEqual([])
})

test.each([
  ['a limit', { limits: { steps: 1 }, middleware: [without('final-answer')] }, /did not finish: steps/],
  ['the limit, with last words', { limits: { steps: 1 } }, /did not finish: steps.*: What I know\.$/],
  ['standing still', { middleware: [stuckDetection({ stop: 1 })] }, /did not finish: stuck/],
])('an agent that ends by %s is an error that its caller reads', async (how, worker, words) => {
  const again = [['search', { q: 'x' }]] as const
  await using company = await startCompany({
    lead: [[toWorker()], 'I see.'],
    worker: how === 'standing still' ? [again, again, 'What I know.'] : [again, 'What I know.'],
  })
  const tools = [agentTool(company.agent('worker', worker))]
  const result = await company.lead({ tools }).run('Go.')
  expect(result).toMatchObject({ text: 'I see.', toolCalls: [{ status: 'error' }] })
  expect(answers(result.state)[0]).toMatch(words)
  expect(result.usage.requests).toBe(company.server.requests.length)
})

test('an agent whose model rejects the key is an error for its caller, whose other calls continue', async () => {
  await using company = await startCompany({
    lead: [[toWorker(), ['search', { q: 'x' }]], 'I see.'],
    worker: [{ status: 401 }],
  })
  const { toolCalls, text } = await company.lead().run('Go.')
  expect(toolCalls).toMatchObject([
    { status: 'error', content: expect.stringMatching(/401/) },
    { status: 'ok' },
  ])
  expect(text).toBe('I see.')
})

test('an agent that ends by its own stop condition returns its last text', async () => {
  const search = { name: 'search', arguments: { q: 'x' } }
  await using server = await startStrictServer([
    { calls: [{ name: 'worker', arguments: { input: 'Do it.' } }] },
    { text: 'I look for x.', calls: [search] },
    { text: 'I see.' },
  ])
  const { model } = server
  const worker = new Agent({ name: 'worker', model, tools: [look], stopWhen: hasCalled('search') })
  const result = await new Agent({ model, tools: [agentTool(worker)] }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', text: 'I see.', usage: { requests: 3 } })
  expect(result.toolCalls).toMatchObject([{ status: 'ok', result: 'I look for x.' }])
  expect(server.faults).toEqual([])
})

const look = tool({
  name: 'search',
  description: 'Looks',
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => `about ${q}`,
})

test('an agent with an empty reply is an error for its caller', async () => {
  await using company = await startCompany({ lead: [[toWorker()], 'I see.'], worker: ['', ''] })
  const { toolCalls } = await company.lead().run('Go.')
  expect(toolCalls).toMatchObject([{ status: 'error', content: expect.stringMatching(/no answer/) }])
})

test.each([{ input: ' ' }, { input: '' }, {}])('does not call an agent with %j', async (args) => {
  await using company = await startCompany({ lead: [[['worker', args]], 'I see.'] })
  const { toolCalls } = await company.lead().run('Go.')
  expect(toolCalls).toMatchObject([{ status: 'rejected', content: expect.stringMatching(/input/) }])
  expect(company.server.of('worker')).toEqual([])
})

test('validates the output of an agent with an output schema', async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'I see.'],
    worker: [[['final_answer', { degrees: 7 }]]],
  })
  const worker = new Agent({
    name: 'worker',
    model: company.server.model('worker'),
    output: z.object({ degrees: z.number() }),
  })
  const { toolCalls, text } = await company.lead({ tools: [agentTool(worker)] }).run('Go.')
  expect(toolCalls).toMatchObject([{ status: 'ok', result: { degrees: 7 } }])
  expect(text).toBe('I see.')
})

test('agents called in one reply run in parallel', async () => {
  let release = () => {}
  const both = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = async () => {
    await both
    return 'One.'
  }
  const second = () => {
    release()
    return 'Two.'
  }
  await using company = await startCompany({
    lead: [[toWorker(), toWorker()], 'Both.'],
    // The first answer comes when the second is asked for.
    worker: [first, second],
  })
  const one = { concurrency: 1 }
  const tools = [agentTool(company.agent('worker', one))]
  const { state } = await company.lead({ tools, ...one }).run('Go.')
  expect(answers(state).sort()).toEqual(['One.', 'Two.'])
})

test("events of a child agent name its call, and text events are the run's own", async () => {
  await using company = await startCompany({
    lead: [[toWorker()], 'Done.'],
    worker: [[['search', { q: 'x' }]], 'Found.'],
  })
  const run = company.lead().stream('Go.')
  const events: RunEvent[] = []
  run.on('tool-start', (event) => events.push(event))
  run.on('tool-end', (event) => events.push(event))
  run.on('text-delta', (event) => events.push(event))
  let words = ''
  for await (const text of run.textStream) words += text
  expect(words).toBe('Done.')
  expect(events).toMatchObject([
    { type: 'tool-start', name: 'worker', arguments: { input: 'Do it.' } },
    { type: 'tool-start', name: 'search', parentCallId: 'lead_0_0' },
    { type: 'tool-end', name: 'search', parentCallId: 'lead_0_0' },
    { type: 'text-delta', text: 'Found.', parentCallId: 'lead_0_0' },
    { type: 'tool-end', name: 'worker', callId: 'lead_0_0' },
    { type: 'text-delta', text: 'Done.' },
  ])
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(1)
})

test('calls an agent tool directly, with the context of its tools', async () => {
  await using company = await startCompany({ worker: [[['who_am_i']], 'You are Ada.'] })
  const whoAmI = tool({
    name: 'who_am_i',
    description: 'The name of the user',
    parameters: z.object({}),
    execute: (_, { context }: { context: { readonly user: string } }) => context.user,
  })
  const worker = new Agent({ name: 'worker', model: company.server.model('worker'), tools: [whoAmI] })
  const ask = agentTool(worker)
  expect(await ask.call({ input: 'Who am I?' }, { context: { user: 'Ada' } })).toBe('You are Ada.')
})

test('rejects two agents of the same name in one run', async () => {
  const model = { name: 'm', complete: () => expect.unreachable() }
  const one = new Agent({ name: 'helper', model })
  const other = new Agent({ name: 'helper', model })
  const code = { code: 'invalid_tool', evidence: { name: 'helper' } }
  const both = () =>
    new Agent({ name: 'lead', model, tools: [agentTool(one), agentTool(other, { name: 'other' })] })
  expect(both).toThrow(expect.objectContaining(code))
  const above = () => new Agent({ name: 'helper', model, tools: [agentTool(one)] })
  expect(above).toThrow(expect.objectContaining(code))
  const between = new Agent({ name: 'between', model, tools: [agentTool(one)] })
  const below = () =>
    new Agent({ name: 'lead', model, tools: [agentTool(between), agentTool(other, { name: 'other' })] })
  expect(below).toThrow(expect.objectContaining(code))
  // The same one twice is one.
  expect(() => new Agent({ name: 'lead', model, tools: [agentTool(between), agentTool(one)] })).not.toThrow()
  const lead = new Agent({ name: 'lead', model, tools: [agentTool(one)] })
  await expect(lead.run('Go.', { tools: [agentTool(other, { name: 'other' })] })).rejects.toMatchObject(code)
})

test("an agent that ends after a call returns that call's result", async () => {
  await using server = await startTeamServer({
    lead: [[toWorker()], 'Done.'],
    worker: [[['search', { q: 'x' }]]],
  })
  const model = server.model('worker')
  const worker = new Agent({ name: 'worker', model, tools: [look], stopWhen: hasCalled('search') })
  const lead = new Agent({ name: 'lead', model: server.model('lead'), tools: [agentTool(worker)] })
  const { toolCalls } = await lead.run('Go.')
  expect(toolCalls[0]).toMatchObject({ status: 'ok', content: 'about x' })
})

test('the caller reads structured output without its wrapper', async () => {
  await using server = await startTeamServer({
    lead: [[toWorker()], 'Done.'],
    worker: [[['final_answer', { result: ['a', 'b'] }]]],
  })
  const worker = new Agent({ name: 'worker', model: server.model('worker'), output: z.array(z.string()) })
  const lead = new Agent({ name: 'lead', model: server.model('lead'), tools: [agentTool(worker)] })
  const { toolCalls } = await lead.run('Go.')
  expect(toolCalls[0]).toMatchObject({ status: 'ok', content: '["a","b"]' })
})

test('an abort ends a run that is still storing a long agent result', async () => {
  await using company = await startCompany({ lead: [[toWorker()]], worker: ['word '.repeat(20_000)] })
  const stop = new AbortController()
  const put = () => {
    stop.abort(new Error('Enough.'))
    return new Promise<never>(() => {})
  }
  const lead = company.lead({ artifacts: { ...memoryArtifacts(), put } })
  const result = await lead.run('Go.', { signal: stop.signal })
  expect(result).toMatchObject({ stopReason: 'aborted', usage: { requests: 2 } })
  expectSound(result)
})
