import { expect, test } from 'vitest'
import { named } from '../../../test/call-context.js'
import { wireCall } from '../../../test/chunks.js'
import { runOf } from '../../../test/run-of.js'
import { Agent } from '../../index.js'
import type { RunInput } from '../../run/feature.js'
import { createState, isState } from '../../run/input.js'
import type { ModelReply } from '../../types/model.js'
import type { RunState } from '../../types/state.js'
import { noUsage } from '../../usage.js'
import { resume } from './resume.js'

const beginning = { agent: 'painter', definitionHash: 'h', runId: 'run-1', limits: { steps: 20 } }
const request = { definitionHash: 'h', onResume: (one: RunState) => one }
const continued = (given: RunState, options: object = { allowChangedTools: true }, limits = {}) =>
  resume().readState?.(given, { ...request, limits, options: { ...options } }) as RunState
const started = (input: RunInput) =>
  isState(input) ? continued(input, undefined, { steps: 20 }) : createState(input, beginning)

const user = { role: 'user', content: 'Hello' } as const
const asked = {
  role: 'assistant',
  content: '',
  tool_calls: [wireCall('a', 'f', '{}'), wireCall('b', 'f', '{}')],
} as const

const state: RunState = {
  schema: 1,
  runId: 'run-0',
  agent: 'painter',
  definitionHash: 'old',
  stepCount: 3,
  messages: [user, asked],
  results: { 1: { status: 'ok', content: 'done', ms: 1 } },
  pending: [{ callId: 'a', name: 'f', arguments: {}, kind: 'approval' }],
  usage: { ...noUsage, requests: 3 },
  limits: { steps: 5 },
  stopReason: 'limit',
  limit: 'steps',
  flags: { toolForced: true },
  kept: { mine: 1 },
}

test('a state is gone on with where it stood, under new limits and without its end', () => {
  const { stopReason, limit, ...rest } = state
  const resumed = started(state)
  const { toolCalls, callIds } = runOf([], resumed)
  expect(resumed).toEqual({ ...rest, definitionHash: 'h', limits: { steps: 20 } })
  expect(resumed).not.toHaveProperty('stopReason')
  expect(toolCalls).toEqual([])
  expect(callIds).toEqual(new Set(['a', 'b']))
})

test('a call that waits is left out once a later message has closed it', () => {
  expect(started({ ...state, messages: [...state.messages, user] })).toMatchObject({
    results: {},
    pending: [],
  })
})

test('a state is not changed by the run that goes on from it, and survives a trip through JSON', () => {
  const before = structuredClone(state)
  const resumed = started(state)
  resumed.messages.push(user)
  resumed.results[0] = { status: 'ok', content: '', ms: 0 }
  resumed.pending.pop()
  resumed.flags.finalAsked = true
  resumed.kept.mine = 2
  expect(state).toEqual(before)
  expect(started(JSON.parse(JSON.stringify(state)))).toEqual(started(state))
})

test.each([
  [{ ...state, stopReason: 'done' }, 'This run is done. To continue, run'],
  [{ ...state, schema: 2 }, 'This run state has schema 2, not 1.'],
  [{ ...state, messages: undefined }, 'Cannot resume this run state: Empty input.'],
  [{ ...state, messages: [{ role: 'robot', content: '' }] }, 'messages[0].role is "robot"'],
  [{ ...state, stepCount: '3' }, 'Cannot resume this run state: stepCount: '],
  [{ ...state, usage: { ...state.usage, requests: null } }, 'usage/requests: '],
  [{ ...state, results: { 0: { status: 'fine', content: '', ms: 0 } } }, 'results/0/status: '],
  [{ ...state, pending: [{ callId: 'a' }] }, 'pending/0: '],
  [{ ...state, limits: { stairs: 5 } }, 'limits/stairs: '],
  [{ ...state, limits: { steps: 20 } }, 'This run stopped at limits.steps (20). Raise it'],
  [{}, 'Not a run state'],
  [{ prompt: 'x' }, 'Not a run state. Pass a string or an array of messages.'],
  [{ messages: [user] }, 'Not a run state. Pass a string or an array of messages.'],
  [{ state, messages: [user], text: 'x' }, 'Not a run state. Pass `state` of a result or an error.'],
])('a state that cannot be gone on with is refused (case %#)', (given, message) => {
  const refused = expect.objectContaining({
    code: 'invalid_state',
    message: expect.stringContaining(message),
  })
  expect(() => started(given as RunState)).toThrow(refused)
})

test('a state of an agent with other tools is a conflict, unless that is allowed', () => {
  const conflict = expect.objectContaining({ code: 'conflict', evidence: { before: 'old', now: 'h' } })
  expect(() => continued(state, {}, { steps: 20 })).toThrow(conflict)
  expect(continued({ ...state, definitionHash: 'h' }, {}, { steps: 20 }).stepCount).toBe(3)
})

test('the limits of a state hold on, those of the continuation laid over them', () => {
  const bounded = { ...state, stopReason: undefined, limits: { steps: 5, images: 2 } } as unknown as RunState
  const { limits } = continued(bounded, undefined, { images: 3 })
  expect(limits).toEqual({ steps: 5, images: 3 })
})

test('what ended a run is forgotten when it goes on, what it read and what was approved is not', () => {
  const flags = {
    finalAsked: true,
    finalReplies: 1,
    wouldExceed: 'images',
    rejections: { f: 3 },
  } as const
  const facts = { approved: ['f'], taintedBy: 'g' }
  const after = (ended: Partial<RunState>) => started({ ...state, ...ended, ...facts, flags } as RunState)
  const rejections = { f: 3 }
  expect(after({ stopReason: 'limit', limit: 'steps' })).toMatchObject({ ...facts, flags: { rejections } })
  expect(after({ stopReason: 'limit', limit: 'steps' }).flags).toEqual({ finalReplies: 1, rejections })
  expect(after({ stopReason: 'stuck' }).flags).toEqual({ finalReplies: 1 })
  const { stopReason: _ended, ...crashed } = { ...state, flags }
  expect(started(crashed).flags).toEqual(flags)
})

test('a conversation that ends in an answer is gone on with by a word of the user', () => {
  const answered = { ...state, messages: [user, { role: 'assistant', content: 'So far.' }] } as RunState
  expect(started(answered).messages.at(-1)).toEqual({ role: 'user', content: 'Continue.' })
})

test('only a state is taken for one', () => {
  expect(isState(state)).toBe(true)
  for (const input of ['Hello', [], [user], null]) expect(isState(input as RunInput)).toBe(false)
})

test.each(['', 'null', '{"x":'])(
  'a conversation that ends in a call with %j for arguments goes on',
  async (text) => {
    const complete = async (): Promise<ModelReply> => ({ message: { role: 'assistant', content: 'Done.' } })
    const agent = new Agent({ model: { name: 'm', complete }, tools: [named('f', () => 'ran')] })
    const open = { ...asked, tool_calls: [wireCall('a', 'f', text)] }
    const { toolCalls, stopReason } = await agent.run([user, open])
    expect(stopReason).toBe('done')
    expect(toolCalls).toMatchObject([
      text === '{"x":' ? { status: 'rejected', arguments: text } : { status: 'ok', arguments: {} },
    ])
  },
)
