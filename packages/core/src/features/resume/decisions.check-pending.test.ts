import { expect, test } from 'vitest'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent } from '../../index.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { type AnyTool, tool } from '../../tools/tool.js'
import type { PendingCall, RunState } from '../../types/state.js'

const approve = { type: 'approve' } as const

/** An agent with tools that pay and refund once approved, and the arguments that they got. */
function cashier(...said: Parameters<typeof scriptedModel>[0]) {
  const ran: unknown[] = []
  const toolOf = (name: string, description = name) =>
    tool({
      name,
      description,
      parameters: jsonSchema({ type: 'object' }),
      needsApproval: true,
      execute: (args) => ran.push([name, args]),
    })
  const tools = [toolOf('pay'), toolOf('refund')] as const
  const agentOf = (all: readonly AnyTool[]) => new Agent({ model: scriptedModel(said), tools: all })
  return { ran, tools, toolOf, agentOf, agent: agentOf(tools) }
}

/** The state of a run whose call `pay {"amount":10}` is pending, as it is stored. */
async function pendingState(args: string | object = { amount: 10 }): Promise<RunState> {
  const { state } = await cashier([['pay', args, 'c1']]).agent.run('Go.')
  return JSON.parse(JSON.stringify(state))
}

const calls: Readonly<Record<string, (state: RunState) => RunState>> = {
  'other arguments in the message': (state) => replaced(state, '10', '5000'),
  'another name in the message': (state) => replaced(state, '"pay"', '"refund"'),
  'other arguments in pending': (state) => withPending(state, { arguments: { amount: 1 } }),
  'another name in pending': (state) => withPending(state, { name: 'refund' }),
  'arguments that are no JSON': (state) => replaced(state, '{\\"amount\\":10}', '{\\"amount\\":10'),
  'a key twice': (state) => replaced(state, '{\\"amount\\":10}', '{\\"amount\\":10,\\"amount\\":5000}'),
}

/** Returns the state with part of the message's text replaced. */
function replaced({ messages, ...state }: RunState, from: string, to: string): RunState {
  return { ...state, messages: JSON.parse(JSON.stringify(messages).replace(from, to)) }
}

function withPending(state: RunState, changes: Partial<PendingCall>): RunState {
  return { ...state, pending: state.pending.map((call) => ({ ...call, ...changes })) }
}

test.each(Object.entries(calls))(
  'an approval of a call with %s is a conflict, and nothing runs',
  async (_, change) => {
    const { agent, ran } = cashier('Done.')
    const state = change(await pendingState())
    await expect(agent.run(state, { decisions: { c1: approve } })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Nothing ran.'),
      evidence: { callId: 'c1' },
    })
    expect(ran).toEqual([])
  },
)

test.each(Object.entries(calls))('a state with %s is invalid without a decision', async (_, change) => {
  const { agent, ran } = cashier('Done.')
  await expect(agent.run(change(await pendingState()))).rejects.toMatchObject({ code: 'invalid_state' })
  expect(ran).toEqual([])
})

test('a conflict shows the call that was approved and the call that would run', async () => {
  const state = replaced(await pendingState(), '10', '5000')
  const { agent } = cashier('Done.')
  await expect(agent.run(state, { decisions: { c1: approve } })).rejects.toMatchObject({
    message: expect.stringMatching(/pay {"amount":10}.*pay {"amount":5000}/),
    evidence: {
      shown: { name: 'pay', arguments: { amount: 10 } },
      runs: { name: 'pay', arguments: { amount: 5000 } },
    },
  })
})

test('a tool whose definition changed since the call was shown is a conflict, and nothing runs', async () => {
  const { agentOf, toolOf, ran } = cashier('Done.')
  const changed = agentOf([toolOf('pay', 'Pays twice'), toolOf('refund')])
  await expect(changed.run(await pendingState(), { decisions: { c1: approve } })).rejects.toMatchObject({
    code: 'conflict',
    evidence: { before: expect.any(String), now: expect.any(String) },
  })
  expect(ran).toEqual([])
})

test.each<[string, (state: RunState) => object]>([
  ['a pending call twice', ({ pending }) => ({ pending: [...pending, ...pending] })],
  [
    'a pending call of no message',
    ({ pending }) => ({ pending: [...pending, { ...pending[0], callId: 'c2' }] }),
  ],
  ['a pending call that is missing', () => ({ pending: [] })],
  ['a pending call that is answered', () => ({ results: { 0: { status: 'ok', content: '', ms: 0 } } })],
  [
    'a call twice',
    ({ messages }) => ({
      messages: messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, tool_calls: [...(message.tool_calls ?? []), ...(message.tool_calls ?? [])] }
          : message,
      ),
    }),
  ],
  [
    'a message without the call',
    ({ messages }) => ({
      messages: messages.map((message) =>
        message.role === 'assistant' ? { role: 'assistant', content: 'No.' } : message,
      ),
    }),
  ],
])('a state with %s contradicts itself', async (_, change) => {
  const { agent, ran } = cashier('Done.')
  const state = await pendingState()
  await expect(agent.run({ ...state, ...change(state) } as RunState)).rejects.toMatchObject({
    code: 'invalid_state',
  })
  expect(ran).toEqual([])
})

test('a message added behind a pending call closes it', async () => {
  const { agent, ran } = cashier('Never mind then.')
  const state = await pendingState()
  const messages = [...state.messages, { role: 'user', content: 'Leave it.' } as const]
  expect(await agent.run({ ...state, messages })).toMatchObject({ stopReason: 'done' })
  expect(ran).toEqual([])
})

test('decisions inside a state do not count', async () => {
  const { agent, ran } = cashier('Done.')
  const state = { ...(await pendingState()), decisions: { c1: approve } }
  expect(await agent.run(state)).toMatchObject({ stopReason: 'pending' })
  expect(ran).toEqual([])
  expect(await agent.run(state, { decisions: state.decisions })).toMatchObject({ stopReason: 'done' })
  expect(ran).toEqual([['pay', { amount: 10 }]])
})

test.each([
  '{"n":1.0,"e":1e2,"z":-0}',
  '{"__proto__":{"admin":true},"constructor":1}',
  '{"text":"\\u00e9\\ud83d\\ude00","lone":"\\ud800"}',
  ' {"b" : 1,\n"a":[ {} , null ]} ',
  '',
  'null',
  '{}{"a":1}',
  '{"a":1}{"a":1}',
  '"{\\"a\\":1}"',
])('an approval of the arguments %j runs them, however the state was stored', async (text) => {
  const state = await pendingState(text)
  const stored = [state, JSON.parse(sortedText(state)) as RunState]
  for (const one of stored) {
    const { agent, ran } = cashier('Done.')
    const [shown] = one.pending
    expect(await agent.run(one, { decisions: { c1: approve } })).toMatchObject({ stopReason: 'done' })
    expect(JSON.parse(JSON.stringify(ran))).toEqual([['pay', shown?.arguments]])
  }
})

/** As written by a store that sorts keys, such as a column of type jsonb. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? 1 : -1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${sortedText(inner)}`).join()}}`
}

test('a waiting run goes on with the same tools in another order', async () => {
  const { agentOf, tools, ran } = cashier('Done.')
  const [pay, refund] = tools
  const done = await agentOf([refund, pay]).run(await pendingState(), { decisions: { c1: approve } })
  expect(done.stopReason).toBe('done')
  expect(ran).toEqual([['pay', { amount: 10 }]])
})
