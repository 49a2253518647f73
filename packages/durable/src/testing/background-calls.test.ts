import { Agent, backgroundCalls, jsonSchema, type RunState, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { jsonHost } from '../json-host.js'
import { hostInMemory } from './journal-host.js'

const parameters = jsonSchema<{ of?: string }>({ type: 'object', properties: { of: { type: 'string' } } })
const calls = [
  reply.calls(
    reply.call('draw', { of: 'cat' }, { id: 'c1' }),
    reply.call('draw', { of: 'dog' }, { id: 'c2' }),
  ),
  reply.calls(reply.call('look', {}, { id: 'c3' })),
  reply.text('Done.'),
]

/** An agent whose model answers by the length of the conversation, since several workers ask it. */
function artist(drawn: Map<string, number>) {
  const models = calls.map((one) => () => scriptedModel([one]))
  const draw = tool({
    name: 'draw',
    description: 'D',
    parameters,
    background: true,
    execute: async ({ of }, { idempotencyKey }) => {
      await new Promise((resolve) => setImmediate(resolve))
      drawn.set(idempotencyKey, (drawn.get(idempotencyKey) ?? 0) + 1)
      return { of: of ?? '' }
    },
  })
  const look = tool({ name: 'look', description: 'D', parameters, execute: () => 'seen' })
  return new Agent({
    model: {
      name: 'm',
      complete: (request, sink) => {
        const turn = request.messages.filter(({ role }) => role === 'assistant').length
        return (models[turn] ?? models[2] ?? expect.unreachable)().complete(request, sink)
      },
    },
    tools: [draw, look],
    middleware: [backgroundCalls()],
  })
}

const outcomesIn = ({ messages }: RunState) =>
  messages.flatMap(({ role, content }) =>
    role === 'user' && /^Result of/.test(String(content)) ? [content] : [],
  )

test('a run that passes through JSON has the outcomes of background calls', async () => {
  const agent = artist(new Map())
  const { state, undelivered = [], toolCalls } = await agent.run('go', { host: jsonHost })
  expect([...outcomesIn(state), ...undelivered].sort()).toEqual([
    'Result of the background call c1 of draw: {"of":"cat"}',
    'Result of the background call c2 of draw: {"of":"dog"}',
  ])
  expect(toolCalls.slice(0, 2)).toMatchObject([{ result: { of: 'cat' } }, { result: { of: 'dog' } }])
})

test('each outcome is there once, and stored work is not repeated, wherever a worker dies', async () => {
  const points: string[] = []
  const drive = async (dies: (at: number) => boolean) => {
    const drawn = new Map<string, number>()
    const agent = artist(drawn)
    const start = await agent.prepare('go', { runId: 'r' })
    let at = 0
    let deaths = 0
    const names: string[] = []
    const end = await hostInMemory().drive('j', agent, start, ({ key, when }) => {
      names.push(`${when} ${key}`)
      const isDead = dies(at++)
      if (isDead) deaths += 1
      return isDead
    })
    return { end, drawn, names, deaths }
  }
  const whole = await drive(() => false)
  points.push(...whole.names)
  expect(points).toContain('kept t0/background0')
  expect(points).toContain('kept t1/delivery')
  for (const at of points.keys()) {
    const { end, drawn, deaths } = await drive((point) => point === at)
    expect(deaths).toBe(1)
    expect(end.stopReason).toBe('done')
    expect(end.messages.at(-1)?.content).toBe('Done.')
    // No outcome is lost or delivered twice: one that came too late is in the result, not in the state.
    const told = outcomesIn(end)
    expect(new Set(told).size).toBe(told.length)
    expect(end.usage.perTool).toEqual({ draw: 2, look: 1 })
    expect(end.flags).not.toHaveProperty('background-calls')
    expect([...drawn.keys()].sort()).toEqual(['r/t0/background0', 'r/t0/background1'])
    for (const times of drawn.values()) expect(times).toBeLessThanOrEqual(2)
  }
})
