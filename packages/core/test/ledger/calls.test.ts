import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  backgroundCalls,
  type LedgerAmounts,
  ledger,
  type Middleware,
  memoryLedger,
  retryTools,
  type Spending,
  type ToolSettings,
  tool,
} from '../../src/index.js'
import { type Said, scriptedModel } from '../scripted-model.js'

const per = 1e12
const key = () => 'ada'

interface DrawOptions {
  readonly spends?: (args: { readonly n: number }) => Spending
  /** What the function does before it has drawn. */
  readonly before?: (n: number, spend: (spending: Spending) => Promise<void>) => unknown
  readonly settings?: Partial<ToolSettings>
}

/** A tool that draws, a ledger in memory, and what was drawn. */
function studio({ spends, before = () => {}, settings }: DrawOptions = {}) {
  const store = memoryLedger()
  let drawn = 0
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({ n: z.int() }),
    ...(spends && { spends }),
    async execute({ n }, ctx) {
      await before(n, (spending) => ctx.spend(spending))
      drawn += n
      return `drew ${n}`
    },
    ...settings,
  })
  const run = (
    limits: LedgerAmounts,
    script: readonly Said[],
    options: { readonly outside?: readonly Middleware[]; readonly price?: object } = {},
  ) => {
    const { outside = [], price } = options
    const middleware = [...outside, ledger({ store, key, limits, per })]
    const model = scriptedModel(script)
    return new Agent({ model, tools: [draw], middleware, ...(price && { price: price as never }) }).run(
      'Draw.',
    )
  }
  const left = async (limits: LedgerAmounts) =>
    (await store.reserve({ id: crypto.randomUUID(), account: 'ada', per, limits, amounts: {}, reserveMs: 1 }))
      .left
  return {
    run,
    left,
    get drawn() {
      return drawn
    },
  }
}

const declared = ({ n }: { readonly n: number }) => ({ images: n })
const call = (n: number): Said => [['draw', { n }]]

test('what a tool declares is reserved before its function, and counts if it reports nothing', async () => {
  const made = studio({ spends: declared })
  const result = await made.run({ images: 5 }, [call(3), 'Done.'])
  expect(result.stopReason).toBe('done')
  expect(await made.left({ images: 5 })).toEqual({ images: 2 })
})

test('a call that does not fit does not run, and the run ends with a final answer', async () => {
  const made = studio({ spends: declared })
  const result = await made.run({ images: 5 }, [[...(call(3) as []), ...(call(3) as [])], 'So far.'])
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'ledger', text: 'So far.' })
  expect(result.toolCalls.map(({ status }) => status).sort()).toEqual(['not_run', 'ok'])
  const { content } = result.toolCalls.find(({ status }) => status === 'not_run') ?? {}
  expect(content).toBe(
    'Error: The budget of 5 images per 1000000000000 ms has no room for this call. Nothing was done.',
  )
  expect(made.drawn).toBe(3)
  // The next run may still ask its model.
  expect(await made.run({ images: 5 }, ['Hello.'])).toMatchObject({ stopReason: 'done' })
})

test('what a function reports counts in place of what was declared', async () => {
  const made = studio({ spends: declared, before: (_, spend) => spend({ images: 1 }) })
  await made.run({ images: 5 }, [call(4), 'Done.'])
  expect(await made.left({ images: 5 })).toEqual({ images: 4 })
})

test('a function that fails before it spends costs nothing, one that fails after it has reported does', async () => {
  const early = studio({
    spends: declared,
    before() {
      throw new Error('No pencil.')
    },
  })
  await early.run({ images: 5 }, [call(4), 'Done.'])
  expect(await early.left({ images: 5 })).toEqual({ images: 5 })
  const late = studio({
    spends: declared,
    async before(n, spend) {
      await spend({ images: n })
      throw new Error('No paper.')
    },
  })
  await late.run({ images: 5 }, [call(4), 'Done.'])
  expect(await late.left({ images: 5 })).toEqual({ images: 1 })
})

test('ctx.spend reserves what is more than was reserved, and rejects when it does not fit', async () => {
  const made = studio({ spends: () => ({ images: 1 }), before: (n, spend) => spend({ images: n }) })
  expect(await made.run({ images: 5 }, [call(4), 'Done.'])).toMatchObject({ stopReason: 'done' })
  expect(await made.left({ images: 5 })).toEqual({ images: 1 })
  const over = await made.run({ images: 5 }, [call(2), 'So far.'])
  expect(over).toMatchObject({ stopReason: 'limit', limit: 'ledger', toolCalls: [{ status: 'error' }] })
  expect(made.drawn).toBe(4)
  expect(await made.left({ images: 5 })).toEqual({ images: 1 })
})

test('a tool without spends reserves by ctx.spend alone', async () => {
  const made = studio({ before: (n, spend) => spend({ images: n }) })
  await made.run({ images: 5 }, [call(2), call(2), 'Done.'])
  expect(await made.left({ images: 5 })).toEqual({ images: 1 })
  const over = await made.run({ images: 5 }, [call(2), 'So far.'])
  expect(over).toMatchObject({ stopReason: 'limit', limit: 'ledger' })
  expect(made.drawn).toBe(4)
})

test('a function that does not wait for ctx.spend is told at once when it is known, otherwise its call fails', async () => {
  const atOnce = studio({
    spends: () => ({ images: 1 }),
    before(n, spend) {
      spend({ images: n })
    },
  })
  expect(await atOnce.run({ images: 5 }, [call(9), 'So far.'])).toMatchObject({ limit: 'ledger' })
  expect(atOnce.drawn).toBe(0)
  const unknown = studio({
    before(n, spend) {
      spend({ images: n })
    },
  })
  const result = await unknown.run({ images: 5 }, [call(9), 'So far.'])
  expect(result).toMatchObject({ limit: 'ledger', toolCalls: [{ status: 'error' }] })
  expect(await unknown.left({ images: 5 })).toEqual({ images: 5 })
})

test('what a request did not use of its reservation is free for ctx.spend', async () => {
  const made = studio({ before: (n, spend) => spend({ images: n, model: 'painter' }) })
  // A reply may cost 0.4 and costs less than 0.01; the picture costs 0.8.
  const price = { m: { inputTokens: 0, outputTokens: 1e-4 }, painter: { images: 0.8 } }
  const result = await made.run({ cost: 1 }, [call(1), 'Done.'], { price })
  expect(result.toolCalls).toMatchObject([{ status: 'ok', content: 'drew 1' }])
  expect(made.drawn).toBe(1)
})

test('each attempt reserves when the ledger stands behind retryTools', async () => {
  let attempts = 0
  const made = studio({
    spends: declared,
    async before(n, spend) {
      await spend({ images: n })
      attempts += 1
      if (attempts < 3) throw Object.assign(new Error('Busy.'), { status: 503 })
    },
    settings: { effects: 'read' },
  })
  const outside = [retryTools({ delayMs: 1, on: () => true })]
  const result = await made.run({ images: 10 }, [call(2), 'Done.'], { outside })
  expect(result).toMatchObject({ stopReason: 'done' })
  expect(await made.left({ images: 10 })).toEqual({ images: 10 - 2 * attempts })
})

test.each(['outside', 'inside'])(
  'a background call counts once, with backgroundCalls %s of the ledger',
  async (place) => {
    const store = memoryLedger()
    const limits = { images: 5 }
    const draw = tool({
      name: 'draw',
      description: 'Draws',
      parameters: z.object({ n: z.int() }),
      spends: declared,
      background: true,
      execute: ({ n }) => `drew ${n}`,
    })
    const both = [backgroundCalls(), ledger({ store, key, limits, per })]
    const middleware = place === 'outside' ? both : both.toReversed()
    const model = scriptedModel([call(3), 'Done.', 'Done.'])
    const result = await new Agent({ model, tools: [draw], middleware }).run('Draw.')
    expect(result.toolCalls).toMatchObject([{ status: 'ok', content: 'drew 3' }])
    const probe = { id: 'probe', account: 'ada', per, limits, amounts: {}, reserveMs: 1 }
    expect((await store.reserve(probe)).left).toEqual({ images: 2 })
  },
)

test('a cost of images needs a price, and without one nothing is drawn', async () => {
  const tokens = { inputTokens: 0, outputTokens: 0 }
  const made = studio({ spends: ({ n }) => ({ images: n, model: 'painter' }) })
  const price = { m: tokens, painter: { images: 2 } }
  await made.run({ cost: 10 }, [call(3), 'Done.'], { price })
  expect(await made.left({ cost: 10 })).toEqual({ cost: 4 })
  const none = await made.run({ cost: 10 }, [call(1), 'Done.'], { price: { m: tokens } })
  expect(none.toolCalls).toMatchObject([
    { status: 'error', content: expect.stringContaining('limits.cost needs a price for "painter"') },
  ])
  expect(made.drawn).toBe(3)
})

test('spends without a ledger has no effect, and one that throws or returns nonsense is an error of the call', async () => {
  const plain = new Agent({
    model: scriptedModel([[['look', {}]], 'Done.']),
    tools: [
      tool({
        name: 'look',
        description: 'Looks',
        parameters: z.object({}),
        spends: () => ({ images: 100 }),
        execute: () => 'seen',
      }),
    ],
    limits: { images: 1 },
  })
  expect(await plain.run('Look.')).toMatchObject({ stopReason: 'done', usage: { images: 0 } })
  for (const spends of [
    () => {
      throw new Error('No idea.')
    },
    () => ({ images: -1 }),
  ]) {
    const made = studio({ spends })
    const result = await made.run({ images: 5 }, [call(1), 'Done.'])
    expect(result.toolCalls).toMatchObject([{ status: 'error' }])
    expect(made.drawn).toBe(0)
  }
})

test('spends is typed by the schema', () => {
  const options = {
    name: 'draw',
    description: 'Draws',
    parameters: z.object({ n: z.int() }),
    execute: () => '',
  }
  tool({ ...options, spends: ({ n }) => ({ images: n }) })
  // @ts-expect-error: there is no such argument.
  tool({ ...options, spends: ({ count }) => ({ images: count }) })
  // @ts-expect-error: there is no such unit.
  tool({ ...options, spends: () => ({ pictures: 1 }) })
  expect(() => tool({ ...options, spends: 3 as never })).toThrow('spends is a number. Use a function.')
})
