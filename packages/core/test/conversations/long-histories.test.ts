import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AgentOptions,
  type Compact,
  type RunEvent,
  summarizeHistory,
  tool,
  trimHistory,
} from '../../src/index.js'
import { expectSound } from '../run-control/soundness.js'
import { startStrictServer } from '../run-control/strict-server.js'

let looks = 0
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({}),
  execute: () => `${'something '.repeat(20)}${++looks}`,
})
const options = { tools: [look], limits: { steps: 100 } } satisfies Partial<AgentOptions<[typeof look]>>
const calls = { calls: [{ name: 'look' }, { name: 'look' }] }
const turns = 40

test.each<[string, Compact]>([
  ['messages', trimHistory({ maxMessages: 7 })],
  ['tokens', trimHistory({ maxTokens: 300 })],
])(
  'a run of 40 turns is trimmed by %s to what a strict server takes, and keeps all of it',
  async (by, compact) => {
    await using server = await startStrictServer((_, n) => (n < turns ? calls : { text: 'That is all.' }))
    const events: RunEvent[] = []
    const agent = new Agent({ model: server.model, compact, instructions: 'Look around.', ...options })
    const result = await agent.run('Go.', { observe: (event) => events.push(event) })
    expect(server.faults).toEqual([])
    expect(result).toMatchObject({ stopReason: 'done', steps: turns + 1 })
    expect(result.messages).toHaveLength(1 + turns * 3 + 1)
    expectSound(result)
    const sent = server.requests.map(({ body }) => body.messages)
    if (by === 'messages') expect(Math.max(...sent.map(({ length }) => length))).toBe(8)
    for (const messages of sent) {
      expect(messages.slice(0, 2)).toMatchObject([{ content: 'Look around.' }, { content: 'Go.' }])
      expect(messages.length).toBeLessThan(12)
    }
    const trimmed = events.filter(({ type }) => type === 'context-trimmed')
    expect(trimmed.at(-1)).toMatchObject({
      step: turns,
      before: 1 + turns * 3,
      after: (sent.at(-1)?.length ?? 0) - 1,
    })
    // The newest turn is always there.
    expect(sent.at(-1)?.at(-1)).toEqual(result.messages.at(-2))
  },
)

test.each<[string, Compact]>([
  ['an answer without its call', ({ messages }) => messages.slice(-1)],
  ['a call without its answer', ({ messages }) => messages.slice(0, -1)],
])('a history that leaves %s is refused before anything is sent', async (_, breaks) => {
  await using server = await startStrictServer([calls])
  const compact: Compact = (history) => (history.messages.length < 2 ? history.messages : breaks(history))
  const run = new Agent({ model: server.model, compact, ...options }).run('Go.')
  await expect(run).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('compact separated a call from its answer'),
    state: { messages: [{}, {}, {}, {}] },
  })
  expect(server.requests).toHaveLength(1)
})

const long = [
  { role: 'user', content: `What is a gate? ${'Tell me more. '.repeat(50)}` },
  { role: 'assistant', content: 'A door in a wall.' },
  { role: 'user', content: 'And a bridge?' },
] as const

test('a summary takes the place of what it covers, for all requests of a run and for the next run', async () => {
  await using server = await startStrictServer([
    { text: 'Gates were explained.' },
    calls,
    { text: 'A way over water.' },
    { text: 'A boat.' },
  ])
  const compact = summarizeHistory({ maxTokens: 150 })
  const agent = new Agent({ model: server.model, compact, tools: [tool({ ...short })] })
  const first = await agent.run(long)
  expect(first).toMatchObject({ text: 'A way over water.', usage: { requests: 2 } })
  expect(first.messages.slice(0, 3)).toEqual(long)
  const next = await agent.run([...first.messages, { role: 'user', content: 'And a ferry?' }])
  expect(next.text).toBe('A boat.')
  expect(server.faults).toEqual([])
  const [summary, ...others] = server.requests.map(({ body }) => body)
  expect(summary?.tools).toBeUndefined()
  for (const { messages } of others)
    expect(messages[0]?.content).toBe(
      '[What was said before, in short]\nGates were explained.\n\n[Now]\nAnd a bridge?',
    )
})

const short = { name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'a bridge' }

test('a summary that fails fails the request, and is tried again when the run goes on', async () => {
  await using server = await startStrictServer([
    { status: 400, error: { message: 'no summary today' } },
    { text: 'Gates were explained.' },
    { text: 'A way over water.' },
  ])
  const agent = new Agent({ model: server.model, compact: summarizeHistory({ maxTokens: 150 }) })
  const error = await agent.run(long).catch((thrown) => thrown)
  expect(error).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('no summary today'),
  })
  expect((await agent.run(error.state)).text).toBe('A way over water.')
})

test('an abort reaches the model that writes a summary', async () => {
  const stop = new AbortController()
  await using server = await startStrictServer(() => {
    stop.abort()
    return 'never'
  })
  let aborted: boolean | undefined
  const model = {
    name: 'm',
    complete: async (...given: Parameters<typeof server.model.complete>) => {
      given[0].signal.addEventListener('abort', () => {
        aborted = true
      })
      return server.model.complete(...given)
    },
  }
  const compact = summarizeHistory({ maxTokens: 150, model })
  const result = await new Agent({ model: server.model, compact }).run(long, { signal: stop.signal })
  expect(result.stopReason).toBe('aborted')
  expect(aborted).toBe(true)
  expect(server.requests).toHaveLength(1)
})
