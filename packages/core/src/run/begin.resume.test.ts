import { expect, test } from 'vitest'
import { wireCall } from '../../test/chunks.js'
import { named } from '../../test/desk.js'
import type { ModelReply } from '../ask/model.js'
import { Agent } from '../door/agent.js'
import type { RunState } from '../words/state.js'
import { noUsage } from '../words/usage.js'
import { begin, isState, type RunInput } from './begin.js'

const beginning = { agent: 'painter', definitionHash: 'h', runId: 'run-1', limits: { steps: 20 } }
const started = (input: RunInput) => begin(input, beginning)

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
  turn: 3,
  messages: [user, asked],
  answered: { 1: { status: 'ok', content: 'done', ms: 1 } },
  pending: [{ callId: 'a', name: 'f', arguments: {}, kind: 'approval' }],
  usage: { ...noUsage, requests: 3 },
  limits: { steps: 5 },
  stopReason: 'limit',
  limit: 'steps',
  flags: { forcedChoiceUsed: true },
}

test('a state is gone on with where it stood, under new limits and without its end', () => {
  const { stopReason, limit, ...rest } = state
  const { state: resumed, records, callIds } = started(state)
  expect(resumed).toEqual({ ...rest, limits: { steps: 20 } })
  expect(resumed).not.toHaveProperty('stopReason')
  expect(records).toEqual([])
  expect(callIds).toEqual(new Set(['a', 'b']))
})

test('a state is not changed by the run that goes on from it, and survives a trip through JSON', () => {
  const before = structuredClone(state)
  const resumed = started(state).state
  resumed.messages.push(user)
  resumed.answered[0] = { status: 'ok', content: '', ms: 0 }
  resumed.pending.pop()
  resumed.flags.more = true
  expect(state).toEqual(before)
  expect(started(JSON.parse(JSON.stringify(state)))).toEqual(started(state))
})

test.each([
  [{ ...state, stopReason: 'done' }, 'This run is done. To go on talking, start a run with its messages'],
  [{ ...state, schema: 2 }, 'This is no run state that can be gone on with'],
  [{ ...state, messages: undefined }, 'This is no run state'],
  [{ ...state, turn: '3' }, 'This is no run state'],
  [{}, 'This is no run state'],
])('a state that cannot be gone on with is refused (case %#)', (given, message) => {
  const refused = expect.objectContaining({
    code: 'invalid_state',
    message: expect.stringContaining(message),
  })
  expect(() => started(given as RunState)).toThrow(refused)
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
