import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  agentTool,
  type ChatModel,
  chatModel,
  fallback,
  handoff,
  type LedgerAmounts,
  type LedgerStore,
  ledger,
  memoryLedger,
  type RunEvent,
  retryTools,
  tool,
} from '../../src/index.js'
import { type Answer, type Asked, startGreedyServer } from './greedy-server.js'

const per = 1e12

/** A ledger in memory, with what it was asked for. */
function watched() {
  const inner = memoryLedger()
  const reserved: Parameters<LedgerStore['reserve']>[0][] = []
  const settled: LedgerAmounts[] = []
  const store: LedgerStore = {
    reserve(given) {
      reserved.push(given)
      return inner.reserve(given)
    },
    settle(id, spent) {
      settled.push(spent)
      return inner.settle(id, spent)
    },
  }
  const left = async (limits: LedgerAmounts, account = 'ada') =>
    (await inner.reserve({ id: crypto.randomUUID(), account, per, limits, amounts: {}, reserveMs: 1 })).left
  return { store, reserved, settled, left }
}

interface User {
  readonly user: string
}
const key = ({ user }: User) => user
const context = { user: 'ada' }

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const once = (name: string, args: object) => (_: Asked, number: number) =>
  number === 0 ? { calls: [[name, args] as const] } : { text: 'Done.' }

test('reserves the input and the longest reply, and settles what the server reports', async () => {
  await using server = await startGreedyServer()
  const { store, reserved, settled } = watched()
  const limits = { tokens: 50_000 }
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const agent = new Agent({ model, middleware: [ledger({ store, key, limits, per })] })
  const result = await agent.run('Hello', { context })
  expect(result.stopReason).toBe('done')
  expect(server.requests[0]?.max_tokens).toBe(4096)
  expect(reserved).toMatchObject([
    { account: 'ada', per, limits, amounts: { requests: 1 }, further: { most: 4096 }, reserveMs: 120_000 },
  ])
  expect(settled).toEqual([{ requests: 1, tokens: server.charged, cost: 0 }])
  expect(reserved[0]?.amounts.tokens).toBeGreaterThan(server.charged - 4096)
})

test.each([
  [{ maxOutputTokens: 200 }, {}, 200],
  [{ maxOutputTokens: 200 }, { maxTokens: 150 }, 150],
  [{}, { max_completion_tokens: 90 }, 90],
  [{ limits: { tokens: 300 } }, { maxTokens: 5000 }, undefined],
])(
  'asks for the smallest of maxOutputTokens, the settings and what is left: %j, %j',
  async (more, settings, most) => {
    await using server = await startGreedyServer()
    const { store } = watched()
    const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
    const middleware = [ledger({ store, key, limits: { tokens: 50_000 }, per, ...more })]
    const agent = new Agent({ model, settings, middleware })
    await agent.run('Hello', { context })
    const sent = server.requests[0]?.max_tokens
    const newer = server.requests[0]?.max_completion_tokens
    if (most === undefined) expect(server.charged).toBeLessThanOrEqual(300)
    else expect([sent, newer]).toContain(most)
    expect(sent ?? newer).toBeGreaterThan(0)
  },
)

test('a request that does not fit is not sent: the run ends by the limit of the ledger, and can go on later', async () => {
  await using server = await startGreedyServer({ answer: once('add', { a: 1, b: 2 }) })
  const { store } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const events: RunEvent[] = []
  const options = { model, tools: [add], observe: (event: RunEvent) => events.push(event) }
  const agent = new Agent({ ...options, middleware: [ledger({ store, key, limits: { requests: 1 }, per })] })
  const result = await agent.run('Add.', { context })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'ledger', toolCalls: [{ status: 'ok' }] })
  expect(server.requests).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'limit-reached')).toMatchObject([{ limit: 'ledger' }])
  expect(events.filter(({ type }) => type === 'middleware')).toMatchObject([
    { name: 'ledger', action: 'reserved' },
    { name: 'ledger', action: 'refused', data: { limit: 'requests', retryAt: 2e12, left: { requests: 0 } } },
    { name: 'ledger', action: 'refused' },
  ])
  expect(() => result.orThrow()).toThrow(expect.objectContaining({ code: 'stopped' }))
  const richer = new Agent({ ...options, middleware: [ledger({ store, key, limits: { requests: 5 }, per })] })
  const next = await richer.run(JSON.parse(JSON.stringify(result.state)), { context })
  expect(next).toMatchObject({ stopReason: 'done', text: 'Done.' })
})

test('what is used up at the start sends nothing, and other accounts go on', async () => {
  await using server = await startGreedyServer()
  const { store } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const agent = new Agent({ model, middleware: [ledger({ store, key, limits: { tokens: 4150 }, per })] })
  expect(await agent.run('Hello', { context })).toMatchObject({ stopReason: 'done' })
  const refused = await agent.run('Hello', { context })
  expect(refused).toMatchObject({
    stopReason: 'limit',
    limit: 'ledger',
    stepCount: 0,
    usage: { requests: 0 },
  })
  expect(server.requests).toHaveLength(1)
  expect(await agent.run('Hello', { context: { user: 'bob' } })).toMatchObject({ stopReason: 'done' })
})

test.each([
  ['returns nothing', () => undefined, 'the result of key is undefined'],
  ['returns an empty text', () => '', 'the result of key is empty'],
  ['returns a promise', async () => 'ada', 'the result of key is a promise'],
  ['returns a NUL', () => 'a\0', 'the result of key is not valid'],
  ['throws', () => Object(undefined).user.id, 'key function failed: Cannot read'],
])('a key that %s is invalid_request, and nothing is sent', async (_, key, message) => {
  await using server = await startGreedyServer()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const limits = { tokens: 50_000 }
  const middleware = [ledger({ store: memoryLedger(), key: key as () => string, limits, per })]
  await expect(new Agent({ model, middleware }).run('Hello')).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(message),
  })
  expect(server.requests).toHaveLength(0)
})

test('a cost needs a price, and reserves the dearest way to spend it', async () => {
  await using server = await startGreedyServer()
  const { store, reserved, settled } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const middleware = [ledger({ store, key, limits: { cost: 1 }, per, maxOutputTokens: 100 })]
  await expect(new Agent({ model, middleware }).run('Hello', { context })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'ledger: limits.cost needs a price for "m". Add it to price.',
  })
  const half = { m: { inputTokens: 1e-6 } }
  await expect(new Agent({ model, middleware, price: half }).run('Hello', { context })).rejects.toMatchObject(
    {
      code: 'invalid_request',
    },
  )
  expect(server.requests).toHaveLength(0)
  const price = {
    m: { inputTokens: 1e-6, cacheWriteTokens: 2e-6, outputTokens: 3e-6, reasoningTokens: 4e-6 },
  }
  const { usage } = await new Agent({ model, middleware, price }).run('Hello', { context })
  const { amounts = {}, further } = reserved[0] ?? {}
  expect(further).toEqual({ each: { tokens: 1, cost: 4e-6 }, least: 16, most: 100 })
  expect(amounts.cost).toBeCloseTo(Number(amounts.tokens) * 2e-6, 12)
  expect(settled).toEqual([{ requests: 1, tokens: usage.totalTokens, cost: usage.cost }])
})

test('a fallback reserves at the prices of its dearest model', async () => {
  await using server = await startGreedyServer()
  const { store, reserved } = watched()
  const cheap = chatModel('cheap', { baseURL: 'http://127.0.0.1:1', apiKey: '', maxRetries: 0 })
  const middle = chatModel('middle', { baseURL: 'http://127.0.0.1:1', apiKey: '', maxRetries: 0 })
  const dear = chatModel('dear', { baseURL: server.baseURL, apiKey: '' })
  const limits = { cost: 100 }
  const price = {
    cheap: { inputTokens: 1e-6, outputTokens: 1e-6 },
    middle: { inputTokens: 1e-6, outputTokens: 1e-6 },
    dear: { inputTokens: 1e-3, outputTokens: 1e-3 },
  }
  const middleware = [ledger({ store, key, limits, per })]
  const agent = new Agent({ model: fallback([cheap, middle, dear]), middleware, price })
  const { usage } = await agent.run('Hello', { context })
  expect(server.requests).toHaveLength(1)
  for (const { amounts, further } of reserved)
    expect((amounts.cost ?? 0) + (further?.each.cost ?? 0) * (further?.most ?? 0)).toBeGreaterThanOrEqual(
      Number(usage.cost),
    )

  const { dear: _, ...others } = price
  const unpriced = new Agent({ model: fallback([cheap, middle, dear]), middleware, price: others })
  await expect(unpriced.run('Hello', { context })).rejects.toThrow('needs a price for "dear"')
  expect(server.requests).toHaveLength(1)
})

test('each attempt of a model reserves: a server may charge for one that failed', async () => {
  const answers: Answer[] = [{ status: 503 }, { cut: true }, { text: 'Yes.' }]
  await using server = await startGreedyServer({ answer: (_, number) => answers[number] ?? { text: 'Yes.' } })
  const { store, reserved, settled, left } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const limits = { tokens: 5000 }
  const middleware = [ledger({ store, key, limits, per, maxOutputTokens: 500 })]
  expect(await new Agent({ model, middleware }).run('Hello', { context })).toMatchObject({ text: 'Yes.' })
  expect(reserved).toHaveLength(3)
  expect(settled).toHaveLength(3)
  expect(server.requests).toHaveLength(3)
  expect(limits.tokens - Number((await left(limits)).tokens)).toBeGreaterThanOrEqual(server.charged)
})

test('what a server refused costs nothing', async () => {
  const answers: Answer[] = [{ status: 429 }, { text: 'Yes.' }]
  await using server = await startGreedyServer({ answer: (_, number) => answers[number] ?? { text: 'Yes.' } })
  const { store, settled } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const middleware = [ledger({ store, key, limits: { tokens: 50_000 }, per })]
  await new Agent({ model, middleware }).run('Hello', { context })
  expect(settled).toEqual([{}, { requests: 1, tokens: server.charged, cost: 0 }])
  const nowhere = chatModel('m', { baseURL: 'http://127.0.0.1:1/v1', apiKey: '', maxRetries: 0 })
  await expect(new Agent({ model: nowhere, middleware }).run('Hello', { context })).rejects.toThrow()
  expect(settled.at(-1)).toEqual({})
})

test('a further attempt that does not fit is not sent', async () => {
  await using server = await startGreedyServer({ answer: () => ({ cut: true }) })
  const { store } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const middleware = [ledger({ store, key, limits: { tokens: 600 }, per, maxOutputTokens: 500 })]
  const result = await new Agent({ model, middleware }).run('Hello', { context })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'ledger' })
  expect(server.charged).toBeLessThanOrEqual(600)
})

test('an aborted request counts in full', async () => {
  const controller = new AbortController()
  await using server = await startGreedyServer({
    answer() {
      controller.abort()
      return { text: 'Yes.' }
    },
    delayMs: 5,
  })
  const { store, reserved, left } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const limits = { tokens: 5000 }
  const middleware = [ledger({ store, key, limits, per })]
  const result = await new Agent({ model, middleware }).run('Hello', { context, signal: controller.signal })
  expect(result.stopReason).toBe('aborted')
  expect(reserved).toHaveLength(1)
  expect((await left(limits)).tokens).toBeLessThanOrEqual(5000 - 4096)
})

test('child runs, handoffs and side requests count, a ledger that several agents have once', async () => {
  const answer = ({ messages }: Asked): Answer => {
    const text = JSON.stringify(messages.at(-1))
    if (text.includes('start')) return { calls: [['helper', { input: 'come' }]] }
    if (text.includes('come')) return { text: 'helped' }
    return text.includes('helped') ? { calls: [['hand_over', {}]] } : { text: 'Done.' }
  }
  await using server = await startGreedyServer({ answer })
  const { store, reserved, settled } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const budget = ledger({ store, key, limits: { tokens: 500_000 }, per, maxOutputTokens: 100 })
  const asking = {
    name: 'asking',
    async beforeModel(call: { ask(messages: readonly object[]): Promise<string> }) {
      await call.ask([{ role: 'user', content: 'side' }])
    },
  }
  const helper = new Agent({ name: 'helper', model, middleware: [budget] })
  const last = new Agent({ name: 'last', model })
  const tools = [agentTool(helper, { name: 'helper' }), handoff(last, { name: 'hand_over' })]
  const agent = new Agent({ name: 'first', model, tools, middleware: [asking as never, budget] })
  const result = await agent.run('start', { context })
  expect(result).toMatchObject({ stopReason: 'done', lastAgent: 'last' })
  expect(server.requests.length).toBeGreaterThanOrEqual(6)
  expect(reserved).toHaveLength(server.requests.length)
  expect(reserved.every(({ account }) => account === 'ada')).toBe(true)
  const spent = settled.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
  expect(spent).toBe(server.charged)
})

test('a child run without a ledger of its own stops by that of its parent', async () => {
  await using server = await startGreedyServer({
    answer: (_, number) => (number === 0 ? { calls: [['helper', { input: 'help' }]] } : { text: 'No.' }),
  })
  const { store } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const helper = new Agent({ name: 'helper', model })
  const middleware = [ledger({ store, key, limits: { requests: 1 }, per })]
  const agent = new Agent({ model, tools: [agentTool(helper)], middleware })
  const result = await agent.run('start', { context })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'ledger' })
  expect(result.toolCalls).toMatchObject([{ status: 'error', content: expect.stringContaining('ledger') }])
  expect(server.requests).toHaveLength(1)
})

test('two ledgers of one agent both count, and the smaller one decides', async () => {
  await using server = await startGreedyServer()
  const [ofUser, ofAll] = [watched(), watched()]
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const options = { limits: { tokens: 5000 }, per }
  const middleware = [
    ledger({ ...options, store: ofUser.store, key, maxOutputTokens: 300 }),
    ledger({ ...options, store: ofAll.store, key: () => 'all', maxOutputTokens: 200, name: 'ledger-all' }),
  ]
  await new Agent({ model, middleware }).run('Hello', { context })
  expect(server.requests[0]?.max_tokens).toBe(200)
  for (const { settled } of [ofUser, ofAll])
    expect(settled).toEqual([{ requests: 1, tokens: server.charged, cost: 0 }])
})

test('200 concurrent runs spend no more than the limit, and most of it', async () => {
  await using server = await startGreedyServer({
    answer: (_, number) => (number % 3 === 0 ? { calls: [['add', { a: 1, b: 2 }]] } : { text: 'Yes.' }),
  })
  const { store } = watched()
  const model = chatModel('m', { baseURL: server.baseURL, apiKey: '' })
  const limits = { tokens: 40_000 }
  const middleware = [retryTools(), ledger({ store, key, limits, per, maxOutputTokens: 400 })]
  const agent = new Agent({ model, tools: [add], middleware })
  const results = await Promise.all(Array.from({ length: 200 }, () => agent.run('Hello', { context })))
  const ends = new Set(results.map(({ stopReason, limit }) => `${stopReason} ${limit}`))
  expect([...ends].sort()).toEqual(['done undefined', 'limit ledger'])
  expect(server.charged).toBeLessThanOrEqual(limits.tokens)
  expect(server.charged).toBeGreaterThanOrEqual(0.8 * limits.tokens)
})

test('a store that fails sends nothing; one that cannot settle leaves the reservation', async () => {
  const { store } = watched()
  let asked = 0
  const model: ChatModel = {
    name: 'm',
    async complete() {
      asked += 1
      return { message: { role: 'assistant', content: 'Yes.' } }
    },
  }
  const gone = async () => {
    throw new Error('The database is away.')
  }
  const options = { key, limits: { tokens: 50_000 }, per }
  const away = new Agent({ model, middleware: [ledger({ ...options, store: { ...store, reserve: gone } })] })
  await expect(away.run('Hello', { context })).rejects.toThrow('The database is away.')
  expect(asked).toBe(0)
  const late = new Agent({ model, middleware: [ledger({ ...options, store: { ...store, settle: gone } })] })
  const warned = new Promise((told) => process.once('warning', told))
  expect(await late.run('Hello', { context })).toMatchObject({ text: 'Yes.' })
  expect(await warned).toMatchObject({ message: 'The database is away.' })
})

test('invalid options are errors at once', () => {
  const good = { store: memoryLedger(), key, limits: { tokens: 1 }, per: 'day' } as const
  const wrong: readonly [object, string][] = [
    [{ store: undefined }, 'ledger: store is required. Use memoryLedger().'],
    [{ store: {} }, 'ledger: store is an object. Use memoryLedger().'],
    [{ key: 'ada' }, 'ledger: key is a string. Use a function.'],
    [{ limits: {} }, 'ledger: limits is empty. Use { cost: 5 } or { tokens: 100_000 }.'],
    [{ limits: { steps: 1 } }, 'ledger: Unknown unit "steps".'],
    [{ limits: { cost: -1 } }, 'ledger: cost is -1. Use a number of at least 0.'],
    [{ per: 'year' }, 'ledger: per is year. Use "hour", "day", "week", "month" or milliseconds.'],
    [{ maxOutputTokens: 0 }, 'ledger: maxOutputTokens is 0. Use a whole number of at least 1.'],
    [{ reserveMs: 0 }, 'ledger: reserveMs is 0. Use milliseconds, 1 or more.'],
    [{ name: 'budget' }, 'ledger: name is a string. Use a name such as "ledger-tenant".'],
    [{ window: 1 }, 'ledger has no option "window".'],
  ]
  for (const [change, message] of wrong)
    expect(() => ledger({ ...good, ...change } as never)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    )
})

test('the context of a run has what key reads', () => {
  const budget = ledger({ store: memoryLedger(), key, limits: { tokens: 1 }, per: 'day' })
  const agent = new Agent({ model: 'm', middleware: [budget] })
  const calls = () => {
    // @ts-expect-error: the context is missing.
    agent.run('Hello')
    // @ts-expect-error: its user is missing.
    agent.run('Hello', { context: {} })
    agent.run('Hello', { context })
  }
  expect(calls).toBeTypeOf('function')
})
