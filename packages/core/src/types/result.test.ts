import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type Decisions, type RunState, safeRepair, tool } from '../index.js'

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.int() }),
  effects: 'read',
  execute: ({ at }) => ({ saw: at }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({ amount: z.int() }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

function agentOf(...script: readonly ScriptStep[]) {
  return new Agent({ model: scriptedModel(script), tools: [look, pay], repair: safeRepair })
}

/** The state of a result, as another process reads it. */
const stored = (state: RunState): RunState => JSON.parse(JSON.stringify(state))
const yes = { type: 'approve' } as const
const namesOf = (records: readonly { readonly name: string; readonly status: string }[]) =>
  records.map(({ name, status }) => `${name} ${status}`)

test('a pending result lists the calls of its step that have a result', async () => {
  const step = reply.calls(
    reply.call('look', { at: 1 }),
    reply.call('pay', { amount: 2 }),
    reply.call('look', { at: 'here' }),
  )
  const asked = await agentOf(step).run('Pay.')
  expect(asked.stopReason).toBe('pending')
  expect(namesOf(asked.toolCalls)).toEqual(['look ok', 'look rejected'])
  expect(asked.toolCalls[0]).toMatchObject({
    callId: 'call_1_1',
    step: 0,
    arguments: { at: 1 },
    result: { saw: 1 },
    content: '{"saw":1}',
  })
  expect(JSON.parse(JSON.stringify(asked.toolCalls))).toEqual(asked.toolCalls)
})

test('the resumed result lists the whole step, each call once, in call order', async () => {
  const step = reply.calls(reply.call('pay', { amount: 2 }), reply.call('look', { at: 1 }))
  const agent = agentOf(reply.call('look', { at: 0 }), step, reply.text('Paid.'))
  const asked = await agent.run('Pay.')
  expect(namesOf(asked.toolCalls)).toEqual(['look ok', 'look ok'])
  const decisions = { call_2_1: yes }
  const done = await agent.run(stored(asked.state), { decisions })
  expect(namesOf(done.toolCalls)).toEqual(['pay ok', 'look ok'])
  expect(done.toolCalls[1]).toEqual(asked.toolCalls[1])
  expect(done.usage.toolCalls).toBe(3)
})

test('a run that resumes and waits again lists what has run by then', async () => {
  const step = reply.calls(
    reply.call('pay', { amount: 1 }),
    reply.call('pay', { amount: 2 }),
    reply.call('look', { at: 1 }),
  )
  const agent = agentOf(step, reply.text('Paid.'))
  const asked = await agent.run('Pay.')
  const again = await agent.run(stored(asked.state), { decisions: { call_1_2: yes } })
  expect(again.pending?.map(({ callId }) => callId)).toEqual(['call_1_1'])
  expect(again.toolCalls.map(({ callId }) => callId)).toEqual(['call_1_2', 'call_1_3'])
  const done = await agent.run(stored(again.state), { decisions: { call_1_1: yes } })
  expect(done.toolCalls.map(({ callId }) => callId)).toEqual(['call_1_1', 'call_1_2', 'call_1_3'])
})

test('each call is listed once, and none is lost, whatever waits in a step and in whatever order it is decided', async () => {
  const kinds = fc.array(fc.constantFrom('look', 'pay', 'wrong'), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(kinds, fc.infiniteStream(fc.nat()), async (names, order) => {
      const step = reply.calls(
        ...names.map((name) =>
          reply.call(
            name === 'wrong' ? 'look' : name,
            name === 'pay' ? { amount: 1 } : { at: name === 'look' ? 1 : 'x' },
          ),
        ),
      )
      const agent = agentOf(step, reply.text('Done.'))
      const ids = names.map((_, index) => `call_1_${index + 1}`)
      const waiting = new Set(ids.filter((_, index) => names[index] === 'pay'))
      const open = () => ids.filter((id) => !waiting.has(id))
      let result = await agent.run('Go.')
      while (result.stopReason === 'pending') {
        expect(result.toolCalls.map(({ callId }) => callId)).toEqual(open())
        const next = [...waiting][(order.next().value ?? 0) % waiting.size] ?? ''
        waiting.delete(next)
        const decisions: Decisions = { [next]: yes }
        result = await agent.run(stored(result.state), { decisions })
      }
      expect(result.stopReason).toBe('done')
      expect(result.toolCalls.map(({ callId }) => callId)).toEqual(ids)
    }),
    { numRuns: 50 },
  )
})

test('a call has its artifacts, and tells whether it was approved and repaired', async () => {
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({ what: z.string(), size: z.int() }),
    needsApproval: true,
    execute: ({ what }, { artifacts }) =>
      artifacts.put(new TextEncoder().encode(what), { kind: 'text', mediaType: 'text/plain' }),
  })
  const model = scriptedModel([
    reply.calls(reply.call('draw', { what: 'a cat', size: '3' }), reply.call('look', { at: 1 })),
    reply.text('Drawn.'),
  ])
  const agent = new Agent({ model, tools: [draw, look], repair: safeRepair })
  const asked = await agent.run('Draw.')
  const done = await agent.run(asked.state, { decisions: { call_1_1: yes } })
  const [drawn, looked] = done.toolCalls
  expect(drawn).toMatchObject({ status: 'ok', approved: true, repaired: true, artifacts: done.artifacts })
  expect(drawn?.artifacts).toHaveLength(1)
  expect(looked).not.toHaveProperty('artifacts')
  expect([looked?.approved, looked?.repaired]).toEqual([undefined, undefined])
})
