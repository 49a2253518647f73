import { expect, expectTypeOf, test } from 'vitest'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent } from '../../index.js'
import type { ToolContext } from '../../tools/tool.js'
import type { Message } from '../../types/message.js'
import { trimHistory } from '../context/compact-history.js'
import { handoff } from './handoff.js'

const withoutCalls = (messages: readonly Message[]) => messages.filter((message) => message.role === 'user')
const contentsOf = (messages: readonly Message[]) => messages.map(({ content }) => content)

test('onHandoff has the context of the run, and lastAgent names the agent that goes on', async () => {
  const told: unknown[] = []
  const other = new Agent({ name: 'other', model: scriptedModel(['bye']) })
  const first = new Agent({
    name: 'first',
    model: scriptedModel([[['transfer_to_other']]]),
    tools: [
      handoff(other, {
        onHandoff: ({ context, runId }: ToolContext<{ user: string }>) => told.push([context.user, runId]),
      }),
    ],
  })
  const { lastAgent, text } = await first.run('hi', { context: { user: 'Ada' }, runId: 'r' })
  expect({ lastAgent, text, told }).toEqual({ lastAgent: 'other', text: 'bye', told: [['Ada', 'r']] })
  const withoutContext = () => {
    // @ts-expect-error onHandoff needs a context
    first.run('hi')
  }
  expectTypeOf(withoutContext).returns.toBeVoid()
})

test('an error of onHandoff keeps the conversation with the agent', async () => {
  const other = new Agent({ name: 'other', model: scriptedModel([]) })
  const onHandoff = () => Promise.reject(new Error('closed'))
  const first = new Agent({
    model: scriptedModel([[['transfer_to_other']], 'sorry']),
    tools: [handoff(other, { onHandoff })],
  })
  const { lastAgent, text, toolCalls } = await first.run('hi')
  expect([lastAgent, text, toolCalls[0]?.status]).toEqual(['agent', 'sorry', 'error'])
})

test('filterHistory changes the requests of the next agent, and nothing else', async () => {
  const model = scriptedModel([[['transfer_to_first']], 'bye'])
  const other = new Agent({ name: 'other', model, tools: [handoff('first')] })
  const own = scriptedModel([[['transfer_to_other']], 'end'])
  const first = new Agent({
    name: 'first',
    model: own,
    tools: [handoff(other, { filterHistory: withoutCalls })],
  })
  const { messages, lastAgent, state } = await first.run('hi')
  expect(lastAgent).toBe('first')
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ])
  expect(model.requests.map(({ messages }) => contentsOf(messages))).toEqual([['hi']])
  expect(own.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(state.kept.handoff).toEqual([{ agent: 'first', tool: 'transfer_to_other', at: 3 }])
})

test('several filters apply one after the other, and from a stored state', async () => {
  const lengths: number[] = []
  const last = new Agent({ name: 'last', model: scriptedModel(['end', 'end']) })
  const counted = (messages: readonly Message[]) => {
    lengths.push(messages.length)
    return withoutCalls(messages)
  }
  const middle = new Agent({
    name: 'middle',
    model: scriptedModel([[['transfer_to_last']]]),
    tools: [handoff(last, { filterHistory: counted })],
  })
  const first = new Agent({
    name: 'first',
    model: scriptedModel([[['transfer_to_middle']]]),
    tools: [handoff(middle, { filterHistory: counted })],
  })
  const states: string[] = []
  await first.run('hi', { onCheckpoint: (state) => void states.push(JSON.stringify(state)) })
  // The entire history, then the same again and the messages of the agent in between.
  expect(lengths).toEqual([3, 3, 3])
  lengths.length = 0
  const resumed = await first.run(JSON.parse(states.at(-2) ?? ''))
  expect([resumed.text, lengths]).toEqual(['end', [3, 3]])
})

test('a shortened history keeps the request of the run', async () => {
  const model = scriptedModel(['end'])
  const other = new Agent({ name: 'other', model, middleware: [trimHistory({ maxMessages: 1 })] })
  const first = new Agent({
    model: scriptedModel([[['transfer_to_other']]]),
    tools: [handoff(other, { filterHistory: withoutCalls })],
  })
  const history: Message[] = ['a', 'b', 'c'].flatMap((content): Message[] => [
    { role: 'user', content },
    { role: 'assistant', content },
  ])
  await first.run([...history, { role: 'user', content: 'task' }])
  expect(model.requests.map(({ messages }) => contentsOf(messages))).toEqual([['task']])
})

test('a filter that returns no list, or separates a call from its result, is an error', async () => {
  const failureOf = async (filterHistory: (messages: readonly Message[]) => readonly Message[]) => {
    const other = new Agent({ name: 'other', model: scriptedModel(['bye']) })
    const tools = [handoff(other, { filterHistory })]
    return new Agent({ model: scriptedModel([[['transfer_to_other']]]), tools })
      .run('hi')
      .catch((error: Error) => error.message)
  }
  expect(await failureOf(() => undefined as never)).toBe(
    'filterHistory of "transfer_to_other" returned undefined. Return the array of messages to keep.',
  )
  expect(await failureOf((messages) => messages.slice(0, 2))).toContain('separated a call from its result')
})

test('a handoff that a middleware offers is followed', async () => {
  const back = handoff('first')
  const other = new Agent({
    name: 'other',
    model: scriptedModel([[['transfer_to_first']]]),
    middleware: [{ name: 'way-back', tools: () => [back] }],
  })
  const first = new Agent({
    name: 'first',
    model: scriptedModel([[['transfer_to_other']], 'end']),
    middleware: [{ name: 'way-there', tools: [handoff(other)] }],
  })
  const { lastAgent, text } = await first.run('hi')
  expect([lastAgent, text]).toEqual(['first', 'end'])
})
