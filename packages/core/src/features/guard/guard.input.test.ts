import { expect, test, vi } from 'vitest'
import { named } from '../../../test/call-context.js'
import { type Journal, journalHost } from '../../../test/run-control/host-with.js'
import { type Said, scriptedModel } from '../../../test/scripted-model.js'
import {
  Agent,
  type GuardOptions,
  guard,
  type Message,
  memoryHost,
  type RunEvent,
  summarizeHistory,
  verdict,
} from '../../index.js'
import { handoff } from '../agents/handoff.js'

const look = named('look', () => 'a gate')

/** Replaces numbers, and denies swords. */
const input: NonNullable<GuardOptions['input']> = (text) => {
  if (text.includes('sword')) return verdict.deny('no weapons')
  return /\d/.test(text) ? verdict.replace(text.replace(/\d+/g, '#')) : undefined
}

function guarded(script: readonly Said[], options: GuardOptions = { input }) {
  const model = scriptedModel(script)
  const agent = new Agent({ model, tools: [look], middleware: [guard(options)] })
  const asked = () => model.requests.map(({ messages }) => messages.map(({ content }) => content))
  return { model, agent, asked }
}

const isOfGuard = (event: RunEvent) => event.type === 'middleware' && event.name === 'guard'

test('a denied message ends the run as a refusal, and the model is not asked', async () => {
  const events: RunEvent[] = []
  const { agent, model } = guarded([])
  const result = await agent.run('Draw a sword 12.', { observe: (event) => events.push(event) })
  expect(result).toMatchObject({ stopReason: 'refusal', refusal: 'no weapons', text: '' })
  expect(model.requests).toEqual([])
  expect(result.usage.totalTokens).toBe(0)
  expect(events.filter(isOfGuard)).toEqual([
    expect.objectContaining({ action: 'denied', data: { of: 'input', reason: 'no weapons' }, step: 0 }),
  ])
})

test('a denial without a reason is a refusal as well', async () => {
  const { agent } = guarded([], { input: () => verdict.deny('') })
  expect(await agent.run('Hi.')).toMatchObject({ stopReason: 'refusal', refusal: 'not allowed' })
})

test('a replacement is read in every request of the run, and the history keeps the message', async () => {
  const { agent, asked } = guarded([[['look']], 'It is open.'])
  const { messages } = await agent.run('Is gate 17 open?')
  expect(asked().map(([first]) => first)).toEqual(['Is gate # open?', 'Is gate # open?'])
  expect(messages[0]).toEqual({ role: 'user', content: 'Is gate 17 open?' })
})

test('a replacement keeps the other parts of a message', async () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const { agent, asked } = guarded(['A gate.'])
  const content = [{ type: 'text', text: 'Gate 17' }, image, { type: 'text', text: ' or 18?' }]
  await agent.run([{ role: 'user', content }])
  expect(asked()).toEqual([[[{ type: 'text', text: 'Gate # or #?' }, image]]])
})

test('a replacement by the same text allows it', async () => {
  const events: RunEvent[] = []
  const { agent, model } = guarded(['Yes.'], { input: (text) => verdict.replace(text) })
  const result = await agent.run('Open?', { observe: (event) => events.push(event) })
  expect(events.filter(isOfGuard)).toEqual([])
  expect(model.requests[0]?.messages).toEqual([result.messages[0]])
})

test('judges each new message once, those sent to the run as well', async () => {
  const judge = vi.fn(input)
  const { agent, asked } = guarded([[['look']], 'Both are open.'], { input: judge })
  const before: Message[] = [
    { role: 'user', content: 'Before 1' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'Gate 17?' },
    { role: 'user', content: 'Please.' },
  ]
  const run = agent.stream(before)
  run.on('tool-end', () => run.send('And gate 18?'))
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'Both are open.' })
  expect(judge.mock.calls.map(([text]) => text)).toEqual(['Gate 17?', 'Please.', 'And gate 18?'])
  expect(asked().at(-1)).toEqual(['Before 1', 'Yes.', 'Gate #?', 'Please.', null, 'a gate', 'And gate #?'])
})

test('a denied message that is sent to the run ends it', async () => {
  const { agent, model } = guarded([[['look']], 'never'])
  const run = agent.stream('Is it open?')
  run.on('tool-end', () => run.send('Bring a sword.'))
  expect(await run.result).toMatchObject({ stopReason: 'refusal', refusal: 'no weapons' })
  expect(model.requests).toHaveLength(1)
})

test('a resumed run judges nothing again, and shows a denied message as denied', async () => {
  const judge = vi.fn(input)
  const { agent, asked } = guarded(['Fine.'], { input: judge })
  const { state } = await agent.run('A sword.')
  const stored = JSON.parse(JSON.stringify(state))
  expect(await agent.run(stored)).toMatchObject({ stopReason: 'done', text: 'Fine.' })
  expect(judge.mock.calls.map(([text]) => text)).toEqual(['A sword.', 'Continue.'])
  expect(asked()).toEqual([['[Message removed: no weapons]', '', 'Continue.']])
})

test('a run resumed at a pending call keeps its replacements', async () => {
  const ask = named('ask', () => 'yes', { needsApproval: true })
  const judge = vi.fn(input)
  const model = scriptedModel([[['ask', {}, 'c1']], 'Done.'])
  const agent = new Agent({ model, tools: [ask], middleware: [guard({ input: judge })] })
  const { state } = await agent.run('Gate 17.')
  const decisions = { c1: { type: 'approve' } } as const
  await agent.run(JSON.parse(JSON.stringify(state)), { decisions })
  expect(judge).toHaveBeenCalledTimes(1)
  expect(model.requests.at(-1)?.messages[0]?.content).toBe('Gate #.')
})

test('a replayed run has the recorded verdicts', async () => {
  const journal: Journal = new Map()
  const script: Said[] = [[['look']], 'It is open.']
  const host = journalHost(journal, memoryHost)
  const first = guarded(script)
  const before = await first.agent.run('Gate 17?', { host, runId: 'r' })
  const judge = vi.fn(() => verdict.deny('other'))
  const again = guarded([], { input: judge })
  const after = await again.agent.run('Gate 17?', { host, runId: 'r' })
  expect(after.state).toEqual(before.state)
  expect(judge).not.toHaveBeenCalled()

  // The process stops before the last request: the rest of the run uses the recorded replacement.
  journal.delete('step1/request')
  const rest = guarded(['It is open.'], { input: judge })
  await rest.agent.run('Gate 17?', { host, runId: 'r' })
  expect(judge).not.toHaveBeenCalled()
  expect(rest.asked()).toEqual([['Gate #?', null, 'a gate']])
})

test('replays a refusal', async () => {
  const journal: Journal = new Map()
  const host = journalHost(journal, memoryHost)
  const before = await guarded([]).agent.run('A sword.', { host, runId: 'r' })
  const after = await guarded([], { input: () => undefined }).agent.run('A sword.', { host, runId: 'r' })
  expect(after.state).toEqual(before.state)
  expect(after).toMatchObject({ stopReason: 'refusal', refusal: 'no weapons' })
})

test('a summary that is written after it is made from the replacement', async () => {
  const short = summarizeHistory({ maxTokens: 20 })
  const model = scriptedModel(['a summary', 'Yes.'])
  const agent = new Agent({ model, middleware: [guard({ input }), short] })
  const many = Array.from({ length: 40 }, () => 'word').join(' ')
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'user', content: `Gate 17 ${many}` },
    { role: 'user', content: 'Is it open?' },
  ] as const
  // A random id may contain the number as well.
  await agent.run(messages, { runId: 'run' })
  expect(JSON.stringify(model.requests)).not.toContain('17')
  expect(JSON.stringify(model.requests[0])).toContain('Gate #')
})

test('stays after a handoff', async () => {
  const other = new Agent({ name: 'other', model: scriptedModel(['I am the other one.']) })
  const model = scriptedModel([[['transfer_to_other']]])
  const agent = new Agent({ model, tools: [handoff(other)], middleware: [guard({ input })] })
  const run = agent.stream('Gate 17?')
  run.on('handed-off', () => run.send('A sword.'))
  expect(await run.result).toMatchObject({ stopReason: 'refusal' })
})

test('a guard of the agent that takes over judges the message that started the run', async () => {
  const inner = scriptedModel(['I am the other one.'])
  const other = new Agent({ name: 'other', model: inner, middleware: [guard({ input })] })
  const agent = new Agent({ model: scriptedModel([[['transfer_to_other']]]), tools: [handoff(other)] })
  await agent.run('Gate 17?')
  expect(inner.requests[0]?.messages[0]?.content).toBe('Gate #?')
})

test('two guards of one agent need two names', async () => {
  const named = guard({ name: 'no-gates', input: (text) => verdict.replace(text.replace('gate', 'door')) })
  const model = scriptedModel(['Yes.'])
  const agent = new Agent({ model, middleware: [guard({ input }), named] })
  const { state } = await agent.run('gate 17')
  expect(Object.keys(state.kept)).toEqual(expect.arrayContaining(['guard', 'no-gates']))
  expect(() => new Agent({ model, middleware: [guard({ input }), guard({ input })] })).toThrow(
    'Duplicate middleware "guard".',
  )
})

test('an invalid verdict, an error and an unknown option are errors', async () => {
  const { agent } = guarded([], { input: (() => 'deny') as never })
  await expect(agent.run('Hi.')).rejects.toThrow(
    'A guard must return verdict.allow, deny, replace or undefined.',
  )
  const failing = guarded([], {
    input: () => {
      throw new Error('the filter is down')
    },
  })
  await expect(failing.agent.run('Hi.')).rejects.toThrow('the filter is down')
  expect(failing.model.requests).toEqual([])
  expect(() => guard({ output: input } as never)).toThrow('A guard has no option "output".')
})

test('after a handoff the guard of the first agent comes before the middlewares of the other one', async () => {
  const order: string[] = []
  const note = (name: string) => ({
    name: 'order',
    beforeModel() {
      order.push(name)
    },
  })
  const judge: GuardOptions['input'] = () => void order.push('guard')
  const other = new Agent({ name: 'other', model: scriptedModel(['Yes.']), middleware: [note('other')] })
  const agent = new Agent({
    model: scriptedModel([[['transfer_to_other']]]),
    tools: [handoff(other)],
    middleware: [guard({ input: judge }), note('first')],
  })
  const run = agent.stream('Go.')
  run.on('handed-off', () => run.send('And?'))
  await run.result
  expect(order).toEqual(['guard', 'first', 'guard', 'other'])
})
