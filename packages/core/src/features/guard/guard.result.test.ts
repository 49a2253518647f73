import { expect, test, vi } from 'vitest'
import { named } from '../../../test/call-context.js'
import { type Journal, journalHost } from '../../../test/run-control/host-with.js'
import { scriptedModel } from '../../../test/scripted-model.js'
import {
  Agent,
  type GuardOptions,
  guard,
  handoff,
  memoryArtifacts,
  memoryHost,
  type RunEvent,
  verdict,
} from '../../index.js'

/** Replaces numbers, and denies swords. */
const result: NonNullable<GuardOptions['result']> = (text) => {
  if (text.includes('sword')) return verdict.deny('no weapons')
  return /\d/.test(text) ? verdict.replace(text.replace(/\d+/g, '0')) : undefined
}

async function runWith(execute: () => unknown, options: GuardOptions = { result }, settings: object = {}) {
  const artifacts = memoryArtifacts()
  const model = scriptedModel([[['look']], 'Done.'])
  const tools = [named('look', execute, settings)]
  const agent = new Agent({ model, tools, artifacts, middleware: [guard(options)] })
  const events: RunEvent[] = []
  const journal: Journal = new Map()
  const host = journalHost(journal, memoryHost)
  const given = { host, runId: 'r', observe: (event: RunEvent) => events.push(event) }
  const ended = await agent.run('Go.', given)
  const everything = JSON.stringify([events, ended, [...journal.values()], model.requests])
  return { ended, events, everything, agent, host, artifacts, call: ended.toolCalls[0] }
}

test('the model reads that the result of a call was denied', async () => {
  const { call, events, everything } = await runWith(() => ({ found: 'sword' }))
  expect(call).toMatchObject({
    status: 'denied',
    content: 'Error: the call ran, but its result was withheld: no weapons',
  })
  expect(call).not.toHaveProperty('result')
  expect(everything).not.toContain('sword')
  expect(events.find(({ type }) => type === 'middleware')).toMatchObject({
    action: 'denied',
    callId: call?.callId,
    data: { of: 'result', reason: 'no weapons' },
  })
})

test('a replaced result is a value of the same kind', async () => {
  const { call, everything } = await runWith(() => ({ phone: '555', open: true }))
  expect(call).toMatchObject({ status: 'ok', content: '{"phone":"0","open":true}' })
  expect(call?.result).toEqual({ phone: '0', open: true })
  expect(everything).not.toContain('555')
})

test('a replaced text is the result', async () => {
  const { call } = await runWith(() => 'Gate 17')
  expect(call).toMatchObject({ content: 'Gate 0', result: 'Gate 0' })
})

test('a replacement that is not JSON is a text', async () => {
  const { call } = await runWith(() => ({ phone: '555' }), {
    result: () => verdict.replace('a phone number'),
  })
  expect(call).toMatchObject({ content: 'a phone number', result: 'a phone number' })
})

test('the error of a call is judged', async () => {
  const { call, everything } = await runWith(() => {
    throw new Error('the sword is gone')
  })
  expect(call).toMatchObject({ status: 'denied' })
  expect(everything).not.toContain('sword')
})

test('a judge that throws fails the call, and its result is dropped', async () => {
  const failing = () => {
    throw new Error('the filter is down')
  }
  const { call, everything } = await runWith(() => 'a sword', { result: failing })
  expect(call).toMatchObject({ status: 'error', content: 'Error: the filter is down' })
  expect(everything).not.toContain('sword')
})

test('a long result is judged whole, before it is stored', async () => {
  const long = `${'gate '.repeat(100)}sword`
  const { call, artifacts, everything } = await runWith(() => long, { result }, { maxResultBytes: 256 })
  expect(call?.status).toBe('denied')
  expect(await artifacts.list()).toEqual([])
  expect(everything).not.toContain('sword')
})

test('a result that is the answer of the run is judged', async () => {
  const { ended } = await runWith(() => 'Gate 17', { result }, { returnDirect: true })
  expect(ended.text).toBe('Gate 0')
})

test('the judge learns which tool was called', async () => {
  const judge = vi.fn()
  await runWith(() => 'a gate', { result: (text, { step }, { name }) => judge(text, step, name) })
  expect(judge.mock.calls).toEqual([['a gate', 0, 'look']])
})

test('a replayed run has the recorded result', async () => {
  const { ended, agent, host } = await runWith(() => 'Gate 17')
  const again = await agent.run('Go.', { host, runId: 'r' })
  expect(again.state).toEqual(ended.state)
})

test('a long result of an agent that took over is judged before it is stored', async () => {
  const artifacts = memoryArtifacts()
  const look = named('look', () => `${'gate '.repeat(100)}sword`, { maxResultBytes: 256 })
  const other = new Agent({ name: 'other', model: scriptedModel([[['look']], 'Done.']), tools: [look] })
  const model = scriptedModel([[['transfer_to_other']]])
  const agent = new Agent({ model, tools: [handoff(other)], artifacts, middleware: [guard({ result })] })
  const { toolCalls } = await agent.run('Go.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'denied'])
  expect(await artifacts.list()).toEqual([])
})
