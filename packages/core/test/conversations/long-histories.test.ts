import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AgentOptions,
  type Compact,
  compactHistory,
  type Limits,
  type Middleware,
  memorySessions,
  type RunEvent,
  summarizeHistory,
  tool,
  trimHistory,
  without,
} from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import type { CreateHost, Step } from '../../src/types/host.js'
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

test.each<[string, Middleware]>([
  ['messages', trimHistory({ maxMessages: 7 })],
  ['tokens', trimHistory({ maxTokens: 300 })],
])(
  'a run of 40 turns is trimmed by %s to what a strict server takes, and keeps all of it',
  async (by, compact) => {
    await using server = await startStrictServer(
      (_, n) => (n < turns ? calls : { text: 'That is all.' }),
      'messages',
    )
    const events: RunEvent[] = []
    const agent = new Agent({
      model: server.model,
      middleware: [compact],
      instructions: 'Look around.',
      ...options,
    })
    const result = await agent.run('Go.', { observe: (event) => events.push(event) })
    expect(server.faults).toEqual([])
    expect(result).toMatchObject({ stopReason: 'done', stepCount: turns + 1 })
    expect(result.messages).toHaveLength(1 + turns * 3 + 1)
    expectSound(result)
    const sent = server.requests.map(({ body }) => body.messages)
    if (by === 'messages') expect(Math.max(...sent.map(({ length }) => length))).toBe(8)
    for (const messages of sent) {
      expect(messages.slice(0, 2)).toMatchObject([{ content: 'Look around.' }, { content: 'Go.' }])
      expect(messages.length).toBeLessThan(16)
    }
    // It is cut in lumps: each request but those extends the one before.
    const trimmed = events.flatMap((event) => (event.type === 'context-trimmed' ? event : []))
    expect(trimmed.length).toBeGreaterThan(5)
    expect(trimmed.length).toBeLessThan(turns / 1.5)
    for (const { step, by, before, after } of trimmed) {
      expect(by).toBe('trim-history')
      expect([before, after]).toEqual([1 + step * 3, (sent[step]?.length ?? 0) - 1])
    }
    const moved = new Set(trimmed.map(({ step }) => step))
    for (const [step, messages] of sent.entries())
      if (step > 0 && !moved.has(step))
        expect(messages.slice(0, sent[step - 1]?.length)).toEqual(sent[step - 1])
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
  const run = new Agent({ model: server.model, middleware: [compactHistory(compact)], ...options }).run('Go.')
  await expect(run).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('A middleware separated a call from its result'),
    state: { messages: [{}, {}, {}, {}] },
  })
  expect(server.requests).toHaveLength(1)
})

const long = [
  { role: 'user', content: `What is a gate? ${'Tell me more. '.repeat(50)}` },
  { role: 'assistant', content: 'A door in a wall.' },
  { role: 'user', content: 'And a bridge?' },
] as const

test('a summary replaces its messages in all requests of the run and the next run', async () => {
  await using server = await startStrictServer([
    { text: 'Gates were explained.' },
    calls,
    { text: 'A way over water.' },
    { text: 'A boat.' },
  ])
  const compact = summarizeHistory({ maxTokens: 150 })
  const agent = new Agent({
    model: server.model,
    middleware: [compact],
    tools: [tool({ ...short })],
  })
  const first = await agent.run(long)
  expect(first).toMatchObject({ text: 'A way over water.', usage: { requests: 3, totalTokens: 45 } })
  expect(first.messages.slice(0, 3)).toEqual(long)
  const next = await agent.run([...first.messages, { role: 'user', content: 'And a ferry?' }])
  expect(next.text).toBe('A boat.')
  expect(server.faults).toEqual([])
  const [summary, ...others] = server.requests.map(({ body }) => body)
  expect(summary?.tools).toBeUndefined()
  for (const { messages } of others)
    expect(messages[0]?.content).toBe(
      'And a bridge?\n\n[Summary of the earlier conversation]\nGates were explained.',
    )
})

const short = { name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'a bridge' }

test('a failed summary fails the request, and is retried on resume', async () => {
  await using server = await startStrictServer([
    { status: 400, error: { message: 'no summary today' } },
    { text: 'Gates were explained.' },
    { text: 'A way over water.' },
  ])
  const agent = new Agent({ model: server.model, middleware: [summarizeHistory({ maxTokens: 150 })] })
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
  const result = await new Agent({ model: server.model, middleware: [compact] }).run(long, {
    signal: stop.signal,
  })
  expect(result.stopReason).toBe('aborted')
  expect(aborted).toBe(true)
  expect(server.requests).toHaveLength(1)
})

test('tokens and cost of a summary count towards the run, with any model', async () => {
  await using server = await startStrictServer([
    { text: 'Gates were explained.', tokens: [100, 20] },
    { text: 'A way over water.' },
  ])
  const writer = { ...server.model, name: 'writer' }
  const compact = summarizeHistory({ maxTokens: 150, model: writer })
  const price = { m: { inputTokens: 1, outputTokens: 1 }, writer: { inputTokens: 2, outputTokens: 3 } }
  const result = await new Agent({ model: server.model, middleware: [compact], price }).run(long, {
    runId: 'run-1',
  })
  expect(result.usage).toMatchObject({ requests: 2, inputTokens: 110, outputTokens: 25, cost: 15 + 260 })
  // What the next request will take is told by the last one of the run’s own.
  expect(result.state.flags.lastRequest).toEqual({ tokens: 15, cost: 15 })
  expect(server.requests[0]?.headers['idempotency-key']).toMatch(/^run-1\/step0\/request\/ask-\w{16}$/)
})

const runs: [string, Limits][] = [
  ['tokens', { tokens: 150 }],
  ['cost', { cost: 150 }],
]

test.each(runs)(
  'does not request a summary that would pass a limit on %s, and ends the run',
  async (limit, limits) => {
    await using server = await startStrictServer([])
    const compact = summarizeHistory({ maxTokens: 150 })
    const price = { m: { inputTokens: 1, outputTokens: 1 } }
    const agent = new Agent({
      model: server.model,
      middleware: [compact, without('final-answer')],
      limits,
      price,
    })
    const result = await agent.run(long)
    expect(result).toMatchObject({ stopReason: 'limit', limit, usage: { requests: 0 } })
    expect(server.requests).toEqual([])
  },
)

test('counts the finished parts of a summary that a limit ends', async () => {
  await using server = await startStrictServer(() => ({ text: 'Something was said.', tokens: [900, 100] }))
  const compact = summarizeHistory({ maxTokens: 1000, keepTokens: 10 })
  const words = Array.from({ length: 6 }, (_, n) => [
    { role: 'user', content: `What is ${n}? ${'Tell me more. '.repeat(150)}` } as const,
    { role: 'assistant', content: 'A number.' } as const,
  ])
  const agent = new Agent({
    model: server.model,
    middleware: [compact, without('final-answer')],
    limits: { tokens: 2500 },
  })
  const result = await agent.run([...words.flat(), { role: 'user', content: 'And 6?' }])
  expect(result).toMatchObject({
    stopReason: 'limit',
    limit: 'tokens',
    usage: { requests: 2, totalTokens: 2000 },
  })
  // Gone on with, what is written is not written again.
  const more = await agent.run(result.state, { limits: { tokens: 100_000 } })
  expect(more).toMatchObject({ stopReason: 'done', usage: { requests: server.requests.length } })
  const asked = server.requests.map(({ body }) => JSON.stringify(body.messages))
  expect(new Set(asked).size).toBe(asked.length)
})

test('a host that repeats a run counts a summary once and requests none again', async () => {
  await using server = await startStrictServer([
    { text: 'Gates were explained.', tokens: [100, 20] },
    { text: 'A way over water.' },
  ])
  const steps = new Map<string, string>()
  const host: CreateHost = (binding) => {
    const inner = memoryHost(binding)
    return {
      ...inner,
      async step<T>(step: Step<T>) {
        const known = steps.get(step.key) ?? JSON.stringify(await inner.step(step))
        steps.set(step.key, known)
        return JSON.parse(known) as T
      },
    }
  }
  for (const _ of ['first', 'again']) {
    const agent = new Agent({ model: server.model, middleware: [summarizeHistory({ maxTokens: 150 })] })
    const result = await agent.run(long, { host, runId: 'run-1' })
    expect(result).toMatchObject({ text: 'A way over water.', usage: { requests: 2, totalTokens: 135 } })
  }
  expect(server.requests).toHaveLength(2)
})

test('a reloaded session keeps its summary', async () => {
  await using server = await startStrictServer([
    { text: 'Gates were explained.' },
    { text: 'A way over water.' },
    { text: 'A boat.' },
  ])
  const agent = new Agent({ model: server.model, middleware: [summarizeHistory({ maxTokens: 150 })] })
  const session = { store: memorySessions(), id: 'ada' }
  await session.store.append('ada', [...long.slice(0, 2)], 0)
  await agent.run('And a bridge?', { session })
  expect((await agent.run('And a ferry?', { session })).text).toBe('A boat.')
  expect(server.requests.map(({ body }) => body.messages.length)).toEqual([2, 1, 3])
})

test('the task survives trimming of its run, also after sent messages', async () => {
  await using server = await startStrictServer(
    (_, n) => (n < 9 ? calls : { text: 'That is all.' }),
    'messages',
  )
  const agent = new Agent({ model: server.model, middleware: [trimHistory({ maxMessages: 6 })], ...options })
  const run = agent.stream([...long.slice(0, 2), { role: 'user', content: 'The task.' }])
  run.on('tool-end', ({ step }) => {
    if (step === 2) run.send('Sent.')
  })
  await run.result
  expect(server.faults).toEqual([])
  for (const { body } of server.requests.slice(5))
    expect(body.messages.slice(0, 2)).toMatchObject([
      { role: 'user', content: expect.stringMatching(/^The task\.(\n\nSent\.)?$/) },
      { role: 'assistant' },
    ])
})
