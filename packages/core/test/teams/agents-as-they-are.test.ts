import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool, chatModel, handoff, type RunEvent, tool } from '../../src/index.js'
import { startScriptedServer } from '../scripted-server.js'

const pay = (description: string) =>
  tool({ name: 'pay', description, parameters: z.object({}), needsApproval: true, execute: () => 'paid' })

test("a child agent's own observer sees its events, under its own run id", async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'kid', arguments: { input: 'Go.' } }] },
    { text: 'Hi.' },
    { text: 'Done.' },
  ])
  const seen: RunEvent[] = []
  const kid = new Agent({ name: 'kid', model: chatModel('m', server), observe: (event) => seen.push(event) })
  const all: RunEvent[] = []
  const parent = new Agent({ name: 'parent', model: chatModel('m', server), tools: [agentTool(kid)] })
  const { state } = await parent.run('Go.', { observe: (event) => all.push(event) })
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, seq) => seq))
  expect(seen[0]).toMatchObject({ type: 'run-start', agent: 'kid', runId: `${state.runId}/step0/child0` })
  const told = all.filter(({ parentCallId }) => parentCallId !== undefined)
  expect(told.map(({ type }) => type)).toEqual(seen.map(({ type }) => type))
  expect(new Set(all.map(({ runId }) => runId))).toEqual(new Set([state.runId]))
})

test('calls of an agent are dynamic unless its tool name is a literal type', async () => {
  for (const [options, dynamic] of [
    [{}, true],
    [{ name: 'kid' }, undefined],
  ] as const) {
    await using server = await startScriptedServer([
      { calls: [{ name: 'kid', arguments: { input: 'Go.' } }] },
      { text: 'Hi.' },
      { text: 'Done.' },
    ])
    const kid = new Agent({ name: 'kid', model: chatModel('m', server) })
    const parent = new Agent({
      name: 'parent',
      model: chatModel('m', server),
      tools: [agentTool(kid, options)],
    })
    expect((await parent.run('Go.')).toolCalls[0]?.dynamic).toBe(dynamic)
  }
})

test('a state does not resume when the tools of a reachable agent have changed', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'transfer_to_clerk' }] },
    { calls: [{ name: 'pay' }] },
    { text: 'Paid.' },
  ])
  const team = (description: string) => {
    const clerk = new Agent({ name: 'clerk', model: chatModel('m', server), tools: [pay(description)] })
    return new Agent({ name: 'boss', model: chatModel('m', server), tools: [handoff(clerk)] })
  }
  const asked = await team('Pays').run('Go.')
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  await expect(team('Pays twice').run(asked.state, { decisions })).rejects.toMatchObject({ code: 'conflict' })
  expect(await team('Pays').run(asked.state, { decisions })).toMatchObject({ stopReason: 'done' })
})
