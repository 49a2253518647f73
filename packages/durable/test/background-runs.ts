import { deepEqual, equal, ok } from 'node:assert/strict'
import { Agent, backgroundCalls, type ChatModel, jsonSchema, type RunState, tool } from '@capstan/core'
import type { HostUnderTest } from '../src/testing/journal-host.js'

/** How often each background call took effect, by idempotency key. */
const drawn = new Map<string, number>()

const draw = tool({
  name: 'draw',
  description: 'Draws a picture',
  parameters: jsonSchema<{ of: string }>({ type: 'object', properties: { of: { type: 'string' } } }),
  background: true,
  execute: async ({ of }, { idempotencyKey }) => {
    await new Promise((resolve) => setImmediate(resolve))
    drawn.set(idempotencyKey, (drawn.get(idempotencyKey) ?? 0) + 1)
    return { of }
  },
})
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: jsonSchema({ type: 'object', properties: {} }),
  execute: () => 'seen',
})

const replies = [
  [
    ['c1', 'draw', '{"of":"cat"}'],
    ['c2', 'draw', '{"of":"dog"}'],
  ],
  [['c3', 'look', '{}']],
] as const

/** A model that chooses its reply by the length of the conversation, because several workers send requests. */
const model: ChatModel = {
  name: 'm',
  async complete({ messages }) {
    const calls = replies[messages.filter(({ role }) => role === 'assistant').length] ?? []
    const tokens = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    if (calls.length === 0) return { message: { role: 'assistant', content: 'Done.' }, tokens }
    const toCall = ([id, name, text]: (typeof calls)[number]) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: text },
    })
    return { message: { role: 'assistant', content: null, tool_calls: calls.map(toCall) }, tokens }
  },
}

/** An agent that starts two background calls in its first step, and continues. */
export const artist = new Agent({
  name: 'artist',
  model,
  tools: [draw, look],
  middleware: [backgroundCalls()],
})

/** The messages that contain results of background calls. */
export const outcomes = ['c1', 'c2'].map(
  (id, at) => `Result of background call ${id} (draw): {"of":"${['cat', 'dog'][at]}"}`,
)

/** Returns the results that the model has received. */
export function toldIn({ messages }: RunState): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' && /^Result of/.test(String(content)) ? [String(content)] : [],
  )
}

/**
 * Runs the artist on a host whose workers die, once at each point of a run. No outcome is delivered twice, stored work
 * is not repeated, and the run counts each call once. @throws AssertionError
 */
export async function checkDeaths(host: HostUnderTest): Promise<void> {
  const points = await runToEnd(host, () => false)
  for (const point of ['kept step0/background0', 'kept step0/background1', 'kept step1/results'])
    ok(points.includes(point), `the host never reached "${point}": ${points.join(', ')}`)
  const deaths = await Promise.all([...new Set(points)].map((point) => dieAt(point, host)))
  ok(deaths.filter(Boolean).length > 15, 'too few workers died')
}

/** Returns whether a worker died at the point. */
async function dieAt(point: string, host: HostUnderTest): Promise<boolean> {
  let isDead = false
  const passed = await runToEnd(host, (name) => {
    const dies = !isDead && name === point
    isDead ||= dies
    return dies
  })
  // Which results are delivered when depends on timing.
  ok(isDead || /delivery$/.test(point), `"${point}" was not reached: ${passed.join(', ')}`)
  return isDead
}

async function runToEnd(host: HostUnderTest, dies: (point: string) => boolean): Promise<readonly string[]> {
  const runId = `background-${crypto.randomUUID()}`
  const names: string[] = []
  const end = await host.drive(runId, artist, await artist.prepare('Go.', { runId }), ({ key, when }) => {
    const name = `${when} ${key}`
    names.push(name)
    return dies(name)
  })
  equal(end.stopReason, 'done')
  equal(end.messages.at(-1)?.content, 'Done.')
  const told = toldIn(end)
  equal(new Set(told).size, told.length)
  ok(told.every((text) => outcomes.includes(text)))
  deepEqual(end.usage.perTool, { draw: 2, look: 1 })
  equal('background-calls' in end.flags, false)
  const keys = [0, 1].map((index) => `${runId}/step0/call${index}`)
  deepEqual([...drawn.keys()].filter((key) => key.startsWith(runId)).sort(), keys)
  for (const key of keys) ok((drawn.get(key) ?? 0) <= 2)
  return names
}
