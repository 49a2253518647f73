import { expect, test } from 'vitest'
import { Agent, type AnyTool, agentTool, type ChatModel, type RunState } from '../../src/index.js'
import { wireCall } from '../chunks.js'
import { expectSound, throughJson } from '../run-control/soundness.js'
import { conflictsOf, toolbox } from '../run-control/toolbox.js'

type Calls = readonly (readonly [name: string, args: unknown])[]

/** A model that makes these calls, turn by turn, then has done: a repetition is told the same. */
function steady(turns: readonly Calls[]): ChatModel {
  return {
    name: 'm',
    async complete({ messages }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const calls = turns[turn]?.map(([name, args], index) =>
        wireCall(`c${turn}_${index}`, name, JSON.stringify(args)),
      )
      if (!calls) return { message: { role: 'assistant', content: 'Done.' } }
      return { message: { role: 'assistant', content: null, tool_calls: calls } }
    },
  }
}

/** Two agents of which one waits, beside calls of the lead's own that run and that wait. */
function crew() {
  const { tools, ran, ledger } = toolbox()
  const agent = (name: string, model: ChatModel, all: readonly AnyTool[]) =>
    new Agent<readonly AnyTool[]>({ name, model, tools: all })
  const lead = () => {
    const sender = agent('sender', steady([[['send', { to: 'Ada' }]], [['save', { n: 1 }]]]), tools)
    const saver = agent('saver', steady([[['save', { n: 2 }]]]), tools)
    const turns = [
      [
        ['sender', { input: 'Send.' }],
        ['saver', { input: 'Save.' }],
        ['save', { n: 3 }],
        ['send', { to: 'Bob' }],
      ],
      [['search', { q: 'x' }]],
    ] as const
    return agent('lead', steady(turns), [agentTool(sender), agentTool(saver), ...tools])
  }
  return { lead, ran, ledger }
}

const decisions = { 'c0_0/c0_0': { type: 'approve' }, c0_3: { type: 'approve' } } as const

test('a run resumed from any checkpoint ends the same, and repeats nothing under other keys', async () => {
  const { lead, ran, ledger } = crew()
  const kept: RunState[] = []
  const onCheckpoint = (state: RunState) => void kept.push(throughJson(state))
  const asked = await lead().run('Go.', { runId: 'run-1', onCheckpoint })
  expect(asked.pending?.map(({ callId }) => callId).sort()).toEqual(['c0_0/c0_0', 'c0_3'])
  const before = kept.length
  const whole = await lead().run(throughJson(asked.state), { decisions, onCheckpoint })
  expect(whole.stopReason).toBe('done')
  expect([...ran].sort()).toEqual([
    'save {"n":1}',
    'save {"n":2}',
    'save {"n":3}',
    'search {"q":"x"}',
    'send {"to":"Ada"}',
    'send {"to":"Bob"}',
  ])
  expect(kept.length).toBeGreaterThan(before + 3)
  for (const [at, state] of kept.entries()) {
    if (state.stopReason === 'done') continue
    // A store of our own: decisions that were given already count from its states.
    let again = await lead().run(throughJson(state), { decisions: state.decisions })
    if (at < before) again = await lead().run(throughJson(again.state), { decisions })
    expect(again.messages).toEqual(whole.messages)
    expect(again.usage).toEqual(whole.usage)
    expectSound(again)
  }
  expect(conflictsOf(ledger)).toEqual([])
  expect(ledger.size).toBe(6)
})

test('resuming without a decision changes nothing, with or without JSON', async () => {
  const { lead } = crew()
  const asked = await lead().run('Go.', { runId: 'run-1' })
  const half = await lead().run(throughJson(asked.state), { decisions: { c0_3: { type: 'approve' } } })
  const [direct, read] = [await lead().run(half.state), await lead().run(throughJson(half.state))]
  expect(direct.pending).toEqual(half.pending)
  expect(direct.state).toEqual(half.state)
  expect(read.state).toEqual(half.state)
})
