import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { wireCall } from '../test/chunks.js'
import { type Said, scriptedModel } from '../test/scripted-model.js'
import { Agent } from './index.js'
import type { StepChanges } from './run/feature.js'
import type { RunEvent } from './types/event.js'
import { callsOf } from './types/message.js'

const f = named('f', () => 'done')

test('an id that an earlier turn has used is another one in the history, and the result goes with it', async () => {
  const model = scriptedModel([
    [['f', { i: 1 }, 'call_1']],
    [
      ['f', { i: 2 }, 'call_1'],
      ['f', { i: 3 }, 'call_1'],
    ],
    'Done.',
  ])
  const { messages, toolCalls } = await new Agent({ model, tools: [f] }).run('Go.')
  const ids = messages.flatMap((message) => callsOf(message).map(({ id }) => id))
  expect(ids).toEqual(['call_1', 'call_1_2', 'call_1_3'])
  expect(messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual(ids)
  expect(toolCalls.map(({ callId }) => callId)).toEqual(ids)
})

test('so it is with an id that the conversation it began with has used', async () => {
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: null, tool_calls: [wireCall('call_1', 'f', '{}')] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ] as const
  const agent = new Agent({ model: scriptedModel([[['f', {}, 'call_1']], 'Done.']), tools: [f] })
  expect((await agent.run(messages)).toolCalls).toMatchObject([{ callId: 'call_1_2' }])
})

test('messages never change: those of the run are frozen, those of the caller left as they were', async () => {
  const given = [{ role: 'user' as const, content: 'Go.' }]
  const agent = new Agent({ model: scriptedModel([[['f']], 'Done.']), tools: [f] })
  const { messages } = await agent.run(given)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  for (const message of messages) expect(Object.isFrozen(message)).toBe(true)
  expect(Object.isFrozen(given[0])).toBe(false)
  expect(given).toHaveLength(1)
})

test('a call that is answered without being run is told to have ended, once', async () => {
  const events: RunEvent[] = []
  const model = scriptedModel([
    [
      ['f', {}, 'a'],
      ['nope', {}, 'b'],
      ['f', 'no JSON', 'c'],
    ],
    'Done.',
  ])
  const { toolCalls } = await new Agent({
    model,
    tools: [f],
    observe: (event) => void events.push(event),
  }).run('Go.')
  const ends = events.flatMap((event) => (event.type === 'tool-end' ? [event] : []))
  expect(ends).toMatchObject([
    { callId: 'c', name: 'f', status: 'rejected', step: 0, ms: 0, artifacts: [] },
    { callId: 'a', status: 'ok', content: 'done' },
    {
      callId: 'b',
      name: 'nope',
      status: 'rejected',
      content: expect.stringContaining('unknown tool "nope"'),
    },
  ])
  expect(ends.map(({ content }) => content).sort()).toEqual(toolCalls.map(({ content }) => content).sort())
})

/** Calls `f` in an answer to a request that did not offer it. */
async function callingWhatIsNotOffered(changes: StepChanges, script?: Said[]) {
  let runs = 0
  const model = scriptedModel(script ?? [[['f']], 'Done.'])
  const tools = [
    named('f', () => {
      runs += 1
      return 'done'
    }),
    named('g', () => 1),
  ]
  const agent = new Agent({ model, tools, prepareStep: () => changes })
  return { result: await agent.run('Go.'), requests: model.requests, runs: () => runs }
}

test.each<[StepChanges, string]>([
  [{ tools: [] }, '"f" is not available in this step and did not run. Available tools: none.'],
  [{ tools: ['g'] }, '"f" is not available in this step and did not run. Available tools: g.'],
  [{ toolChoice: 'none' }, '"f" is not available in this step and did not run. Available tools: none.'],
])('a call of a tool that the request did not offer (%j) is not run', async (changes, said) => {
  const { result, runs } = await callingWhatIsNotOffered(changes)
  expect(runs()).toBe(0)
  expect(result.toolCalls).toMatchObject([{ name: 'f', status: 'rejected', content: `Error: ${said}` }])
  expect(result.text).toBe('Done.')
})

test('nor is one that is withheld because it repeated itself', async () => {
  const same: Said = [['f']]
  const { result, runs, requests } = await callingWhatIsNotOffered({}, [same, same, same, same, 'So far.'])
  expect(requests.map(({ tools }) => tools.map((tool) => tool.function.name))).toEqual(
    Array(5).fill(['f', 'g']),
  )
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'none'])
  expect(runs()).toBe(3)
  expect(result).toMatchObject({ stopReason: 'stuck', text: 'So far.' })
  expect(result.toolCalls.at(-1)).toMatchObject({
    status: 'rejected',
    content: expect.stringMatching(
      /^Error: "f" is not available in this step and did not run\. Available tools: g\./,
    ),
  })
})

test("the agent's own choice of none runs nothing either", async () => {
  const never = named('f', () => expect.unreachable())
  const agent = new Agent({ model: scriptedModel([[['f']], 'Done.']), tools: [never], toolChoice: 'none' })
  expect((await agent.run('Go.')).toolCalls).toMatchObject([{ status: 'rejected' }])
})
