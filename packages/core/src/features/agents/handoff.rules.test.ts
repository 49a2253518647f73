import { expect, test } from 'vitest'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent } from '../../index.js'
import { type Policy, verdict } from '../../tools/policies.js'
import { handoff } from './handoff.js'

const other = (name: string) => new Agent({ name, model: scriptedModel(['end', 'end']) })

function teamOf(names: readonly string[], told: string[] = [], policy: Policy = () => verdict.allow) {
  const onHandoff = (to: string) => ({ onHandoff: () => told.push(to) })
  return new Agent({
    name: 'desk',
    model: scriptedModel([names.map((name) => [`transfer_to_${name}`] as [string]), 'stays']),
    tools: [
      handoff(other('a'), onHandoff('a')),
      handoff(other('b'), onHandoff('b')),
      handoff('nobody', onHandoff('nobody')),
    ],
    policy,
  })
}

async function endOf(names: readonly string[]) {
  const told: string[] = []
  const { toolCalls, lastAgent } = await teamOf(names, told).run('hi')
  return { statuses: toolCalls.map(({ status }) => status), lastAgent, told }
}

test('one handoff may run', async () => {
  expect(await endOf(['a'])).toEqual({ statuses: ['ok'], lastAgent: 'a', told: ['a'] })
})

test('of several the first may', async () => {
  const statuses = ['ok', 'not_run', 'not_run']
  expect(await endOf(['a', 'b', 'a'])).toEqual({ statuses, lastAgent: 'a', told: ['a'] })
})

test('one to nobody may not, and does not stand in the way of the next', async () => {
  expect(await endOf(['nobody', 'b'])).toEqual({ statuses: ['error', 'ok'], lastAgent: 'b', told: ['b'] })
})

test('a refused handoff says why', async () => {
  const { toolCalls } = await teamOf(['nobody', 'b', 'a']).run('hi')
  expect(toolCalls.map(({ content }) => content)).toEqual([
    'Error: handoff failed: there is no agent "nobody".',
    'b has taken over the conversation.',
    'Error: only one handoff per reply is followed: "b".',
  ])
})

test('one that was denied leaves the conversation to the next', async () => {
  const ask: Policy = ({ name }) => (name === 'transfer_to_b' ? verdict.ask() : verdict.deny('no'))
  const agent = teamOf(['a', 'b'], [], ask)
  const { state, pending = [] } = await agent.run('hi')
  const decisions = { [pending[0]?.callId ?? '']: { type: 'approve' as const } }
  const { lastAgent, toolCalls } = await agent.run(state, { decisions })
  expect([lastAgent, toolCalls.map(({ status }) => status)]).toEqual(['b', ['denied', 'ok']])
})
