import { reply } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { named } from '../../test/call-context.js'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { type Said, scriptedModel } from '../../test/scripted-model.js'
import { Agent, agentTool, chatModel, fallback, handoff, logRuns, memoryHost, ToolError } from '../index.js'

const look = named('look', () => ({ open: true }))

function logged(script: readonly Said[], options: object = {}) {
  const lines: string[] = []
  const model = scriptedModel(script)
  const log = logRuns({ to: (line) => lines.push(line.replaceAll(/\d+ ms/g, '0 ms')) })
  return { lines, agent: new Agent({ model, tools: [look], middleware: [log], ...options }) }
}

test('a run is a line for each thing that happens', async () => {
  const { agent, lines } = logged([[['look', { at: 'gate' }]], 'It is\nopen.'])
  await agent.run('Go.', { runId: 'r' })
  expect(lines).toEqual([
    'r agent starts',
    'r   step 0: m, 0 ms, 1 call',
    'r   look starts: {"at":"gate"}',
    'r   look ok, 0 ms: {"open":true}',
    'r   step 1: m, 0 ms: It is open.',
    'r ends: done, 2 requests, 1 call, 30 tokens, 0 ms',
  ])
})

test('durations are those between events', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const model = scriptedModel([
    () => {
      vi.setSystemTime(1500)
      return { type: 'text', text: 'Hi.' }
    },
  ])
  const lines: string[] = []
  await new Agent({ model, middleware: [logRuns({ to: (line) => lines.push(line) })] }).run('Go.', {
    runId: 'r',
  })
  expect(lines.slice(1)).toEqual([
    'r   step 0: m, 1500 ms: Hi.',
    'r ends: done, 1 request, 0 calls, 15 tokens, 1500 ms',
  ])
})

test('a UUID is shortened', async () => {
  const { agent, lines } = logged(['Hi.'])
  const { state } = await agent.run('Go.')
  expect(lines[0]).toBe(`${state.runId.slice(0, 8)} agent starts`)
})

test('child runs are indented', async () => {
  const inner = new Agent({
    name: 'helper',
    model: scriptedModel([[['look']], 'Yes.'], 'small'),
    tools: [look],
  })
  const { agent, lines } = logged([[['helper', { input: 'Open?' }]], 'It is open.'], {
    tools: [agentTool(inner)],
  })
  await agent.run('Go.', { runId: 'r' })
  expect(lines).toEqual([
    'r agent starts',
    'r   step 0: m, 0 ms, 1 call',
    'r   helper starts: {"input":"Open?"}',
    'r     helper starts',
    'r       step 0: 0 ms, 1 call',
    'r       look starts: {}',
    'r       look ok, 0 ms: {"open":true}',
    'r       step 1: 0 ms: Yes.',
    'r     ends: done, 2 requests, 1 call, 30 tokens, 0 ms',
    'r   helper ok, 0 ms: Yes.',
    'r   step 1: m, 0 ms: It is open.',
    'r ends: done, 4 requests, 2 calls, 60 tokens, 0 ms',
  ])
})

test('limits, handoffs, pending calls, retries and failed calls have lines', async () => {
  const send = named('send', () => 'sent', { needsApproval: true })
  const dark = named('dark', () => {
    throw new ToolError('it is dark')
  })
  const other = new Agent({
    name: 'other',
    model: scriptedModel([[['send', { to: 'Ada' }]]], 'o'),
    tools: [send],
  })
  const model = fallback([
    scriptedModel([reply.fail('rate_limit')], 'busy'),
    scriptedModel([[['dark'], ['transfer_to_other']]], 'free'),
  ])
  const { agent, lines } = logged([], { model, tools: [handoff(other), dark] })
  expect(await agent.run('Go.', { runId: 'r' })).toMatchObject({ stopReason: 'pending' })
  expect(lines.filter((line) => !/ step \d|starts|ends/.test(line))).toEqual([
    'r   retry 1 with free in 0 ms: rate_limit: This step of the script fails with rate_limit.',
    'r   dark error, 0 ms: Error: it is dark',
    'r   transfer_to_other ok, 0 ms: other has taken over the conversation.',
    'r   handed off to other',
    'r   prefix broken at instructions: handoff',
    'r   send awaits approval: {"to":"Ada"}',
  ])
  expect(lines.at(-1)).toContain('ends: pending')
  const limited = logged([[['look']], 'Enough.'], { limits: { steps: 1 } })
  await limited.agent.run('Go.', { runId: 'r' })
  expect(limited.lines).toContain('r   limit reached: steps')
})

test('a failed run ends with an error', async () => {
  const { agent, lines } = logged([reply.fail('auth')])
  await expect(agent.run('Go.', { runId: 'r' })).rejects.toThrow('auth')
  expect(lines).toEqual(['r agent starts', 'r ends: error, 0 requests, 0 calls, 0 tokens, 0 ms'])
})

test('values have no secrets, no control characters, and are short', async () => {
  const secret = 'sk-4f9a7c1e2b8d6053a1c9'
  const model = {
    ...scriptedModel([]),
    ...chatModel('m', { apiKey: secret, baseURL: 'http://127.0.0.1:9/v1' }),
  }
  const said = scriptedModel([[['look', { password: 'hunter22' }]], `${'word '.repeat(60)}\u001b[31m\u202e`])
  const hostile = named('look', () => `${'x '.repeat(95)}${secret} \u001b[2J`)
  const { agent, lines } = logged([], {
    model: Object.assign(model, { complete: said.complete }),
    tools: [hostile],
  })
  await agent.run('Go.', { runId: 'r\u001b' })
  const text = lines.join('\n')
  for (const hidden of ['hunter22', 'sk-4f', '\u001b', '\u202e']) expect(text).not.toContain(hidden)
  expect(text).toContain('r\\u001b')
  expect(text).toContain('… (306 characters)')
  for (const line of lines) expect(line.length).toBeLessThan(260)
})

test('a target that is a stream receives lines with their ends', async () => {
  const written: string[] = []
  const log = logRuns({ to: { write: (text: string) => written.push(text) } })
  await new Agent({ model: scriptedModel(['Hi.']), middleware: [log] }).run('Go.', { runId: 'r' })
  expect(written[0]).toBe('r agent starts\n')
})

test('without a target lines go to the error output', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  await new Agent({ model: scriptedModel(['Hi.']), middleware: [logRuns()] }).run('Go.', { runId: 'r' })
  expect(write.mock.calls[0]).toEqual(['r agent starts\n'])
})

test('runs at the same time have their own times and models', async () => {
  const { agent, lines } = logged(['One.', 'Two.'])
  await Promise.all([agent.run('Go.', { runId: 'a' }), agent.run('Go.', { runId: 'b' })])
  for (const id of ['a', 'b']) expect(lines.filter((line) => line.startsWith(`${id} `))).toHaveLength(3)
})

test('a replayed run has the same lines without models', async () => {
  const journal: Journal = new Map()
  const options = { host: journalHost(journal, memoryHost), runId: 'r' }
  const first = logged([[['look']], 'Open.'])
  const before = await first.agent.run('Go.', options)
  const again = logged([])
  const after = await again.agent.run('Go.', options)
  expect(after.state).toEqual(before.state)
  expect(again.lines).toEqual([
    'r agent starts',
    'r   step 0: 0 ms, 1 call',
    'r   step 1: 0 ms: Open.',
    'r ends: done, 2 requests, 1 call, 30 tokens, 0 ms',
  ])
})

test('a silent run has no lines', async () => {
  const { agent, lines } = logged(['Hi.'])
  await agent.run('Go.', { silent: true })
  expect(lines).toEqual([])
})
