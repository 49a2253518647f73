import { expect, test } from 'vitest'
import { wireCall } from '../../test/chunks.js'
import { runOf } from '../../test/run-of.js'
import type { Message } from '../types/message.js'
import type { RunState } from '../types/state.js'
import { noUsage } from '../usage.js'
import type { RunInput } from './feature.js'
import { createState, firstUserMessage } from './input.js'

const beginning = { agent: 'painter', definitionHash: 'h', runId: 'run-1', limits: { steps: 20 } }
type Conversation = Exclude<RunInput, RunState>
const started = (input: Conversation) => createState(input, beginning)
const messagesOf = (input: Conversation) => started(input).messages

const user: Message = { role: 'user', content: 'Hello' }
const said: Message = { role: 'assistant', content: 'Hi.' }
const asked = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => wireCall(id, 'f', '{}')),
})
const answer = (id: string, content = 'done'): Message => ({ role: 'tool', tool_call_id: id, content })
const notRun = (id: string) => answer(id, 'Error: the run stopped; this call did not run.')

test('words are the first message of a fresh run', () => {
  const state = started('Hello')
  expect(state).toEqual({
    schema: 1,
    runId: 'run-1',
    agent: 'painter',
    definitionHash: 'h',
    stepCount: 0,
    messages: [user],
    results: {},
    pending: [],
    usage: noUsage,
    limits: { steps: 20 },
    flags: {},
    kept: {},
  })
  const { toolCalls, callIds, firstStep, clock } = runOf([], state)
  expect({ toolCalls, callIds, firstStep, clock }).toEqual({
    toolCalls: [],
    callIds: new Set(),
    firstStep: 0,
    clock: { before: 0 },
  })
  expect(firstUserMessage(state)).toBe(0)
})

test.each(['', ' \n', [], null, undefined, 42])('%j says nothing to begin with', (input) => {
  expect(() => started(input as Conversation)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(/^Empty input\. Pass /),
    }),
  )
})

test('a conversation is gone on with as it is, and all its call ids are known', () => {
  const messages = [user, asked('a', 'b'), answer('b'), answer('a'), said, user, asked('c'), answer('c')]
  const state = started(messages)
  const { callIds } = runOf([], state)
  expect(state.messages).toEqual(messages)
  expect(state.stepCount).toBe(0)
  expect(callIds).toEqual(new Set(['a', 'b', 'c']))
})

test('a conversation that ends in open calls is in its first turn', () => {
  const state = started([user, asked('a', 'b')])
  expect(state.messages).toEqual([user, asked('a', 'b')])
  expect(state.stepCount).toBe(1)
})

test.each<[string, Message[], Message[]]>([
  [
    'none of them answered',
    [user, asked('a', 'b'), user],
    [user, asked('a', 'b'), notRun('a'), notRun('b'), user],
  ],
  [
    'one of them answered',
    [user, asked('a', 'b'), answer('a'), user],
    [user, asked('a', 'b'), answer('a'), notRun('b'), user],
  ],
  ['words of the model after them', [user, asked('a'), said], [user, asked('a'), notRun('a'), said]],
  ['other calls after them', [user, asked('a'), asked('b')], [user, asked('a'), notRun('a'), asked('b')]],
  [
    'the end after one answer',
    [user, asked('a', 'b', 'c'), answer('b')],
    [user, asked('a', 'b', 'c'), answer('b'), notRun('a'), notRun('c')],
  ],
])('calls left open before other messages are closed as not run: %s', (_how, given, mended) => {
  expect(messagesOf(given)).toEqual(mended)
})

test.each<[string, Message[]]>([
  ['no call', [user, answer('a')]],
  ['a call answered before', [user, asked('a'), answer('a'), answer('a')]],
  ['a call closed by other messages', [user, asked('a'), user, answer('a')]],
  ['a call of another name', [user, asked('a'), answer('b')]],
])('an answer to %s is refused with its place', (_what, messages) => {
  const position = messages.length - 1
  expect(() => started(messages)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining(`messages[${position}] answers call`),
      evidence: expect.objectContaining({ position }),
    }),
  )
})

test('the messages of the caller are copied, those of a run are not: they never change', () => {
  const mine = { role: 'user', content: 'first' } as const
  const fixed = Object.freeze({ role: 'assistant', content: 'Hi.' } as const)
  const input = [mine, fixed]
  const messages = messagesOf(input)
  Object.assign(mine, { content: 'changed' })
  input.pop()
  expect(messages).toEqual([{ role: 'user', content: 'first' }, fixed])
  expect(messages[0]).toSatisfy(Object.isFrozen)
  expect(messages[1]).toBe(fixed)
})
