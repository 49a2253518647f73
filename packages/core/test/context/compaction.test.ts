import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { some } from '../../../../scripts/cases.mjs'
import {
  Agent,
  agentTool,
  CapstanError,
  type ChatModel,
  clearResults,
  compactHistory,
  type Message,
  type Middleware,
  type RunEvent,
  type RunState,
  summarizeHistory,
  tool,
  trimHistory,
  without,
} from '../../src/index.js'
import { expectSound } from '../run-control/soundness.js'
import { scriptedModel } from '../scripted-model.js'
import { factsIn, startWindowServer, type WindowServer } from './window-server.js'

const pageOf = (page: number, bytes: number) =>
  `fact-${page}=Oslo${page} ${'The harbour opens at six, and the boats go out. '.repeat(bytes / 48)}`

/** Each second page is short enough to stay where it is. */
const mixed = (page: number) => (page % 2 ? 1900 : 6000)

const lookWith = (bytes: number | ((page: number) => number)) =>
  tool({
    name: 'look',
    description: 'Looks at a page',
    parameters: z.object({ page: z.number() }),
    execute: ({ page }) => pageOf(page, typeof bytes === 'number' ? bytes : bytes(page)),
  })

interface Given {
  readonly server: WindowServer
  readonly bytes?: number | ((page: number) => number)
  readonly contextTokens?: number
  readonly middleware?: readonly Middleware[]
  readonly before?: readonly Message[]
  readonly stream?: boolean
}

async function runOver({
  server,
  bytes = 20_000,
  contextTokens,
  middleware = [],
  before = [],
  stream = false,
}: Given) {
  const events: RunEvent[] = []
  const agent = new Agent({
    model: server.model(contextTokens === undefined ? {} : { contextTokens }),
    tools: [lookWith(bytes)],
    instructions: 'Read all pages.',
    middleware,
    limits: { steps: 100 },
  })
  const input = [...before, { role: 'user', content: 'Read the pages.' } as const]
  const options = { observe: (event: RunEvent) => events.push(event) }
  const result = await (stream ? agent.stream(input, options).result : agent.run(input, options))
  expectSound(result)
  expect(server.faults).toEqual([])
  const main = server.answered.filter(({ isSummary }) => !isSummary)
  const trimmed = events.flatMap((event) => (event.type === 'context-trimmed' ? event : []))
  return { result, events, main, trimmed, summaries: server.answered.length - main.length }
}

const factsOf = ({ body }: WindowServer['answered'][number]) => factsIn(JSON.stringify(body.messages))

const exchanges: readonly Message[] = Array.from({ length: 30 }, (_, at) => [
  { role: 'user' as const, content: `What is in hall ${at}?` },
  { role: 'assistant' as const, content: `In hall ${at} is fact-${1000 + at}=Bergen${at}.` },
]).flat()

describe('summarizeHistory', () => {
  test.each(
    some([
      [', after 30 exchanges', { before: exchanges }],
      ['', {}],
      [', streamed', { stream: true }],
    ]),
  )('keeps a fact of each page of 60 steps within its bound%s', async (_name, given) => {
    await using server = await startWindowServer({ steps: 60 })
    const middleware = [summarizeHistory({ maxTokens: 20_000 })]
    const { result, main, summaries, trimmed } = await runOver({ server, middleware, ...given })
    expect(result).toMatchObject({ stopReason: 'done', text: 'That is all.' })
    expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThan(1.15 * 20_000)
    expect(summaries).toBeGreaterThanOrEqual(3)
    expect(summaries).toBeLessThanOrEqual(40)
    const last = main.at(-1)
    const told = last ? factsOf(last) : []
    for (let page = 0; page < 60; page++) expect(told).toContain(`fact-${page}=Oslo${page}`)
    if ('before' in given) expect(told).toHaveLength(90)
    // The run keeps all of it.
    expect(factsIn(JSON.stringify(result.messages))).toHaveLength(told.length)
    expect(trimmed.every(({ by }) => by === 'summarize-history')).toBe(true)
  })

  test('shortens the results of a step that is too long alone, and summarises all of them', async () => {
    await using server = await startWindowServer({ steps: 3, calls: 6 })
    const { result, main } = await runOver({
      server,
      middleware: [summarizeHistory({ maxTokens: 20_000 })],
    })
    expect(result.stopReason).toBe('done')
    for (const { tokens } of main) expect(tokens).toBeLessThan(1.15 * 20_000)
    // 'main[1]' has the first step: six results of 5,000 tokens.
    expect(main[1]?.body.messages.filter(({ role }) => role === 'tool')).toHaveLength(6)
    expect(JSON.stringify(main[1]?.body.messages)).toMatch(/omitted. Use read_artifact with artifact \\"txt_/)
    expect(main.at(-1) && factsOf(main.at(-1) as (typeof main)[number])).toHaveLength(18)
  })

  test('is continued by a run in another process, without a second summary', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const agentOf = () =>
      new Agent({
        model: server.model(),
        tools: [lookWith(20_000)],
        middleware: [summarizeHistory({ maxTokens: 20_000 })],
        limits: { steps: 6 },
      })
    const first = await agentOf().run('Read the pages.', { limits: { steps: 6 } })
    const before = server.answered.length
    const cut = JSON.stringify(first.state.kept['summarize-history'])
    expect(cut).toContain('fact-0=Oslo0')
    const stored = JSON.parse(JSON.stringify(first.state))
    await agentOf().run(stored, { limits: { steps: 7 } })
    const [next] = server.answered.slice(before)
    expect(next?.isSummary).toBe(false)
    expect(JSON.stringify(next?.body.messages)).toContain('fact-0=Oslo0')
  })

  test('is not asked for again when the process ends before the reply', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const own = server.model()
    const agentOf = (model: ChatModel) =>
      new Agent({
        model,
        tools: [lookWith(20_000)],
        middleware: [summarizeHistory({ maxTokens: 20_000 })],
        limits: { steps: 20 },
      })
    const dead = new AbortController()
    const dying: ChatModel = {
      ...own,
      complete(request, sink) {
        const isWritten = server.answered.some(({ isSummary }) => isSummary)
        if (!isWritten || request.tools.length === 0) return own.complete(request, sink)
        dead.abort()
        return new Promise(() => {})
      },
    }
    let saved = ''
    const onCheckpoint = (state: RunState) => {
      if (!dead.signal.aborted) saved = JSON.stringify(state)
    }
    await agentOf(dying).run('Read the pages.', { onCheckpoint, signal: dead.signal })
    const before = server.answered.length
    const { stopReason, usage, state } = await agentOf(own).run(JSON.parse(saved) as RunState)
    expect(stopReason).toBe('done')
    expect(server.answered[before]?.isSummary).toBe(false)
    expect(factsOf(server.answered[before] as (typeof server.answered)[number])).toContain('fact-0=Oslo0')
    const asked = server.answered.map(({ body }) => JSON.stringify(body.messages))
    expect(new Set(asked).size).toBe(asked.length)
    // Each request counts once, and with it the summary that the first process paid.
    expect(usage.requests).toBe(server.answered.length)
    expect(state.kept).toHaveProperty('summarize-history')
  })

  test('names the artifacts of what it covers, whatever the model writes', async () => {
    const draw = tool({
      name: 'draw',
      description: 'Draws',
      parameters: z.object({}),
      execute: (_args, { artifacts }) =>
        artifacts.put(new TextEncoder().encode(`A drawing. ${'x'.repeat(3000)}`), {
          kind: 'text',
          mediaType: 'text/plain',
        }),
    })
    const model = scriptedModel([
      [['draw', {}]],
      [['draw', {}]],
      'A thing was drawn.',
      `Done. ${'word '.repeat(400)}`,
    ])
    const middleware = [summarizeHistory({ maxTokens: 160, keepTokens: 1 })]
    const { messages } = await new Agent({ model, tools: [draw], middleware }).run(
      `Draw twice. ${'Please. '.repeat(30)}`,
    )
    const [id = '?'] = /txt_[a-z2-7]+/.exec(JSON.stringify(messages)) ?? []
    const shown = JSON.stringify(model.requests.at(-1)?.messages[0]?.content)
    expect(shown).toContain(`A thing was drawn.\\nArtifacts: ${id}`)
  })

  test('that fails is left to the next one that shortens, and an event says so', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const fails = { name: 'writer', complete: () => Promise.reject(new Error('No ink.')) }
    const middleware = [
      summarizeHistory({ maxTokens: 20_000, model: fails }),
      trimHistory({ maxTokens: 20_000 }),
    ]
    const { result, events, trimmed } = await runOver({ server, middleware })
    expect(result.stopReason).toBe('done')
    expect(trimmed.every(({ by }) => by === 'trim-history')).toBe(true)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'middleware', name: 'summarize-history', action: 'failed' }),
    )
  })

  test.each([21_000, 30_000])('that fails is left to one with the larger bound %d', async (maxTokens) => {
    await using server = await startWindowServer({ steps: 12 })
    const fails = { name: 'writer', complete: () => Promise.reject(new Error('No ink.')) }
    const middleware = [summarizeHistory({ maxTokens: 16_000, model: fails }), trimHistory({ maxTokens })]
    const { result, trimmed } = await runOver({ server, middleware })
    expect(result.stopReason).toBe('done')
    expect(trimmed.every(({ by, tokens }) => by === 'trim-history' && tokens.after <= 16_000)).toBe(true)
  })

  test('fits the window of its own writer, and a refusal teaches only that one', async () => {
    await using told = await startWindowServer({ steps: 0, window: 8000 })
    await using learned = await startWindowServer({ steps: 0, window: 8000 })
    const writers = [told.model({ contextTokens: 8000 }), learned.model()]
    for (const writer of writers) {
      await using server = await startWindowServer({ steps: 40 })
      const model = { ...writer, name: 'writer' }
      const middleware = [summarizeHistory({ maxTokens: 30_000, model })]
      const { result, trimmed } = await runOver({ server, bytes: 6000, middleware })
      expect(result.stopReason).toBe('done')
      expect(trimmed.every(({ by }) => by === 'summarize-history')).toBe(true)
      expect(JSON.stringify(result.state.kept)).not.toContain('"model":"m","tokens":8000')
    }
    expect(told.refused).toEqual([])
    expect(learned.refused).toHaveLength(1)
    expect(told.answered.length).toBeGreaterThan(2)
  })

  test('that fails alone is the error of its model', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const fails = { name: 'writer', complete: () => Promise.reject(new Error('No ink.')) }
    const alone = runOver({ server, middleware: [summarizeHistory({ maxTokens: 20_000, model: fails })] })
    await expect(alone).rejects.toMatchObject({ message: expect.stringContaining('No ink.') })
  })
})

test.each([
  ['trimHistory', trimHistory],
  ['summarizeHistory', summarizeHistory],
] as const)('%s keeps about keepTokens, and takes only less than maxTokens', async (_name, make) => {
  const after = async (keepTokens: number) => {
    await using server = await startWindowServer({ steps: 40 })
    const { trimmed } = await runOver({
      server,
      bytes: 3000,
      middleware: [make({ maxTokens: 16_000, keepTokens })],
    })
    return trimmed[0]?.tokens.after ?? 0
  }
  for (const keep of [2000, 4000, 12_000]) {
    const kept = await after(keep)
    expect(kept).toBeGreaterThan(keep - 1500)
    expect(kept).toBeLessThan(keep + 400)
  }
  const tooMuch = () => make({ maxTokens: 16_000, keepTokens: 16_000 })
  expect(tooMuch).toThrow('keepTokens is 16000. Use a number of at least 0, less than maxTokens.')
})

describe('trimHistory', () => {
  test('cuts in lumps: 60 steps are read little more than twice', async () => {
    await using server = await startWindowServer({ steps: 60 })
    const { main, trimmed } = await runOver({ server, middleware: [trimHistory({ maxTokens: 32_000 })] })
    const transcript = (60 * 20_000) / 4
    const sent = main.reduce((sum, { tokens }) => sum + tokens, 0)
    expect((1 - server.cached()) * sent).toBeLessThan(2.2 * transcript)
    expect(trimmed.length).toBeLessThan(20)
    for (const { tokens } of main) expect(tokens).toBeLessThan(1.15 * 32_000)
  })

  test('joins the first and the last user message when what was between them is left out', async () => {
    await using server = await startWindowServer({ steps: 9 })
    const agent = new Agent({
      model: server.model(),
      tools: [lookWith(4000)],
      middleware: [trimHistory({ maxTokens: 6000 })],
      limits: { steps: 20 },
    })
    const run = agent.stream('The task.')
    run.on('tool-end', ({ step }) => {
      if (step === 1) run.send('And be quick.')
    })
    await run.result
    expect(server.faults).toEqual([])
    expect(server.answered.at(-1)?.body.messages[0]).toMatchObject({
      role: 'user',
      content: 'The task.\n\nAnd be quick.',
    })
  })
})

describe('clearResults', () => {
  test('names old results, which read_artifact reads, and keeps the newest', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const { main, result } = await runOver({
      server,
      bytes: 6000,
      middleware: [clearResults({ maxTokens: 10_000 })],
    })
    const last = main.at(-1)?.body
    expect(last?.tools).toHaveLength(2)
    expect(main[0]?.body.tools).toEqual(last?.tools)
    const results = last?.messages.filter(({ role }) => role === 'tool') ?? []
    const short = results.filter(({ content }) => String(content).length < 200)
    expect(short.length).toBeGreaterThan(4)
    expect(results.slice(-4).every(({ content }) => String(content).length > 5000)).toBe(true)
    expect(short[0]?.content).toMatch(
      /^\[60\d\d bytes of look omitted. Use read_artifact with artifact "txt_[a-z2-7]+" to read any part\.\]$/,
    )
    const id = /txt_[a-z2-7]+/.exec(String(short[0]?.content))?.[0] ?? ''
    expect(result.messages[2]?.content).toContain('fact-0=Oslo0')
    expect(id).toMatch(/^txt_/)
  })

  test('leaves results of the tools in `except`', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const middleware = [clearResults({ maxTokens: 10_000, except: ['look'] })]
    const { trimmed } = await runOver({ server, bytes: 6000, middleware })
    expect(trimmed).toEqual([])
  })
})

describe('a window that is known', () => {
  test.each(some([2.5, 4, 6, 12]))(
    'is never passed with a tokenizer of %d characters, and is used',
    async (characters) => {
      await using server = await startWindowServer({ steps: 40, window: 20_000, characters })
      const { result, trimmed, main } = await runOver({
        ...{ server, bytes: 6000, contextTokens: 20_000 },
      })
      expect(result.stopReason).toBe('done')
      expect(server.refused).toEqual([])
      expect(Math.max(...main.map(({ tokens }) => tokens))).toBeGreaterThan(0.55 * 20_000)
      for (const { step, by, tokens } of trimmed) {
        expect(by).toBe('compact-history')
        const counted = main[step]?.tokens ?? 0
        expect(Math.abs(tokens.after - counted) / counted).toBeLessThan(0.15)
      }
      expect(trimmed.length).toBeGreaterThan(0)
    },
  )

  test.each(
    some([
      ['tells its window', { tells: true }],
      ['tells no number', { tells: false }],
      ['counts 2.5 characters as a token, and tells no number', { tells: false, characters: 2.5 }],
      ['counts 6 characters as a token', { tells: true, characters: 6 }],
    ]),
  )('is learned from a server that refuses and %s', async (_what, given) => {
    await using server = await startWindowServer({ steps: 40, window: 20_000, ...given })
    const { result, trimmed, main } = await runOver({ server, bytes: 6000 })
    expect(result).toMatchObject({ stopReason: 'done', text: 'That is all.' })
    expect(server.refused.length).toBeGreaterThan(0)
    expect(server.refused.length).toBeLessThanOrEqual(given.tells ? 3 : 5)
    expect(Math.max(...main.map(({ tokens }) => tokens))).toBeGreaterThan(0.55 * 20_000)
    expect(new Set(trimmed.map(({ by }) => by))).toEqual(new Set(['compact-history']))
  })
})

test('by default old results are named first, then older messages give way to a summary', async () => {
  await using server = await startWindowServer({ steps: 60 })
  const { result, main, trimmed, summaries } = await runOver({ server, bytes: mixed, contextTokens: 20_000 })
  expect(result.stopReason).toBe('done')
  expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThan(20_000)
  const firstSummary = server.answered.findIndex(({ isSummary }) => isSummary)
  const before = server.answered.slice(0, firstSummary).at(-1)?.body
  expect(JSON.stringify(before?.messages)).toMatch(
    /\[\d+ bytes of look omitted. Use read_artifact with artifact \\"txt_/,
  )
  expect(before?.tools).toHaveLength(2)
  expect(summaries).toBeGreaterThan(0)
  expect(JSON.stringify(main.at(-1)?.body.messages[1])).toContain('[Summary of the earlier conversation]')
  expect(trimmed.every(({ by }) => by === 'compact-history')).toBe(true)
  // The run keeps all of it.
  expect(factsIn(JSON.stringify(result.messages))).toHaveLength(60)
})

test('by default a summary that cannot be written is told, and messages are left out instead', async () => {
  await using server = await startWindowServer({ steps: 60 })
  const own = server.model()
  const model: ChatModel = {
    ...own,
    contextTokens: 20_000,
    complete: (request, sink) =>
      request.tools.length === 0 ? Promise.reject(new Error('No ink.')) : own.complete(request, sink),
  }
  const events: RunEvent[] = []
  const agent = new Agent({ model, tools: [lookWith(mixed)], limits: { steps: 100 } })
  const { stopReason } = await agent.run('Read what you can.', { observe: (event) => events.push(event) })
  expect(stopReason).toBe('done')
  expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThan(20_000)
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'middleware', name: 'summarize-history', action: 'failed' }),
  )
})

test('by default a run goes on in another process with the same bytes, and no second summary', async () => {
  await using server = await startWindowServer({ steps: 60, characters: 5 })
  const agentOf = () =>
    new Agent({ model: server.model({ contextTokens: 20_000 }), tools: [lookWith(mixed)] })
  const limits = { steps: 45 }
  const { state } = await agentOf().run('Read the pages.', { limits })
  const before = server.answered.length
  // Without the note of the final answer.
  const last = server.answered.at(-1)?.body.messages.slice(0, -1) ?? []
  const stored = JSON.parse(JSON.stringify(state))
  await agentOf().run(stored, { limits: { steps: 46 } })
  const [next] = server.answered.slice(before)
  expect(server.answered.slice(0, before).some(({ isSummary }) => isSummary)).toBe(true)
  expect(next?.isSummary).toBe(false)
  expect(next?.body.messages.slice(0, last.length)).toEqual(last)
})

test('without compact-history a window that is known bounds nothing', async () => {
  await using server = await startWindowServer({ steps: 12 })
  const middleware = [without('compact-history')]
  expect((await runOver({ server, middleware, contextTokens: 8000 })).trimmed).toEqual([])
})

describe('a request that cannot be made short enough', () => {
  test('is not sent, and the error names its largest part and the option', async () => {
    await using server = await startWindowServer({ steps: 12 })
    const events: RunEvent[] = []
    const agent = new Agent({
      model: server.model(),
      instructions: 'Read. '.repeat(3000),
      middleware: [trimHistory({ maxTokens: 2000 })],
    })
    const error: CapstanError = await agent
      .run('Go.', { observe: (event) => events.push(event) })
      .catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringMatching(/allows? 2000|2000 \(maxTokens\).*the instructions/),
      state: { messages: [{ content: 'Go.' }] },
    })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'context-over', maxTokens: 2000, parts: expect.any(Object) }),
    )
    expect(server.answered).toEqual([])
  })
})

describe('middlewares that shorten', () => {
  test('combine in any order, each with what the one before it left', async () => {
    for (const middleware of [
      [clearResults({ maxTokens: 12_000 }), trimHistory({ maxTokens: 16_000 })],
      [trimHistory({ maxTokens: 16_000 }), clearResults({ maxTokens: 12_000 })],
      [clearResults({ maxTokens: 12_000 }), summarizeHistory({ maxTokens: 16_000 })],
      [summarizeHistory({ maxTokens: 16_000 }), trimHistory({ maxTokens: 16_000 })],
      [compactHistory(({ messages }) => messages), trimHistory({ maxTokens: 16_000 })],
    ]) {
      await using server = await startWindowServer({ steps: 30 })
      const { result, main } = await runOver({ server, bytes: 6000, middleware })
      expect(result.stopReason).toBe('done')
      expect(Math.max(...main.map(({ tokens }) => tokens))).toBeLessThan(1.15 * 16_000)
    }
  })

  test('of one name are an error that says how to name one', () => {
    const middleware = [
      compactHistory(({ messages }) => messages),
      compactHistory(({ messages }) => messages),
    ]
    expect(() => new Agent({ model: 'm', middleware })).toThrow(
      /Duplicate middleware "compact-history".*name/,
    )
  })

  test('keep a child agent within its own window', async () => {
    await using server = await startWindowServer({ steps: 30 })
    const reader = new Agent({
      name: 'reader',
      model: server.model({ contextTokens: 20_000 }),
      tools: [lookWith(6000)],
      limits: { steps: 50 },
    })
    const model = scriptedModel([[['reader', { input: 'Read all.' }]], 'Read.'])
    const result = await new Agent({ model, tools: [agentTool(reader)] }).run('Go.')
    expect(result.text).toBe('Read.')
    expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThan(20_000)
  })
})

describe('a server that refuses', () => {
  test('is known to a run in another process', async () => {
    await using server = await startWindowServer({ steps: 40, window: 20_000 })
    const agentOf = () =>
      new Agent({
        model: server.model(),
        tools: [lookWith(6000)],
        limits: { steps: 14 },
      })
    const first = await agentOf().run('Read the pages.')
    expect(server.refused).toHaveLength(1)
    expect(first.state.kept['compact-history']).toMatchObject({ window: { model: 'm', tokens: 20_000 } })
    const stored = JSON.parse(JSON.stringify(first.state))
    const { stopReason } = await agentOf().run(stored, { limits: { steps: 100 } })
    expect(stopReason).toBe('done')
    expect(server.refused).toHaveLength(1)
  })

  test.each(some([2.5, 4]))(
    'twice gets less of a step that is too long alone, with %d characters a token',
    async (characters) => {
      await using server = await startWindowServer({ steps: 3, window: 3400, tells: false, characters })
      const { result, trimmed } = await runOver({ server, bytes: 22_000 })
      expect(result.stopReason).toBe('done')
      expect(server.refused.length).toBeGreaterThan(1)
      expect(trimmed.length).toBeGreaterThan(1)
      expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThanOrEqual(3400)
    },
  )

  test('is asked again with what fits beside another way of shortening, too', async () => {
    await using server = await startWindowServer({ steps: 20, window: 20_000 })
    const middleware = [trimHistory({ maxTokens: 50_000 })]
    const { result, trimmed } = await runOver({ server, bytes: 6000, middleware })
    expect(result.stopReason).toBe('done')
    expect(new Set(trimmed.map(({ by }) => by))).toEqual(new Set(['compact-history']))
  })

  test.each([undefined, 20_000, 128_000])(
    'never gets the same request twice, with contextTokens %j',
    async (contextTokens) => {
      await using server = await startWindowServer({ steps: 40, window: 20_000 })
      await runOver({ server, bytes: 6000, ...(contextTokens && { contextTokens }) })
      expect(new Set(server.refused).size).toBe(server.refused.length)
      expect(server.refused.length).toBeLessThanOrEqual(3)
    },
  )

  test('gets a long result shortened by what its refusal told', async () => {
    await using server = await startWindowServer({ steps: 5, window: 20_000, characters: 2.5 })
    const { result } = await runOver({ server, bytes: 15_000, contextTokens: 20_000 })
    expect(result.stopReason).toBe('done')
    expect(new Set(server.refused).size).toBe(server.refused.length)
  })

  test('that tells no number refuses no more than five times, summaries included', async () => {
    await using server = await startWindowServer({
      steps: 40,
      window: 20_000,
      characters: 2.5,
      calls: 6,
      tells: false,
    })
    const { result } = await runOver({ server })
    expect(result.stopReason).toBe('done')
    expect(server.refused.length).toBeLessThanOrEqual(5)
  })

  test('fails the run at its third refusal, with what was tried', async () => {
    await using server = await startWindowServer({ steps: 40, window: 20_000 })
    const own = server.model()
    // Counts as little as is learned of it, and takes less and less.
    let most = 9000
    const model: ChatModel = {
      ...own,
      async complete(request, sink) {
        const size = JSON.stringify(request.messages).length / 4
        if (size <= most) return own.complete(request, sink)
        most = Math.min(most, size / 4)
        throw new CapstanError('context_length_exceeded', 'Too long.')
      },
    }
    const agent = new Agent({ model, tools: [lookWith(6000)], limits: { steps: 100 } })
    const error: CapstanError = await agent.run('Read the pages.').catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'context_length_exceeded', state: { messages: expect.any(Array) } })
    const tried = error.evidence?.tried as readonly number[]
    expect(tried).toHaveLength(3)
    expect(tried.toSorted((one, other) => other - one)).toEqual(tried)
  })

  test.each(['warn', 'stop'] as const)('fails the run with onContextLost: %j', async (onContextLost) => {
    await using server = await startWindowServer({ steps: 40, window: 20_000 })
    const agent = new Agent({
      model: server.model(),
      tools: [lookWith(6000)],
      limits: { steps: 100 },
      onContextLost,
    })
    const error: CapstanError = await agent.run('Read the pages.').catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: 'context_length_exceeded',
      evidence: { contextTokens: 20_000 },
      state: { stepCount: server.answered.length },
    })
    expect(server.refused).toHaveLength(1)
  })

  test('fails the run when the shortest request is too long', async () => {
    await using server = await startWindowServer({ steps: 40, window: 150 })
    const agent = new Agent({
      model: server.model(),
      tools: [lookWith(6000)],
      instructions: `Read all. ${'And so on. '.repeat(60)}`,
    })
    const history = [...exchanges, { role: 'user', content: 'Read the pages.' } as const]
    const error: CapstanError = await agent.run(history).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'context_length_exceeded', state: { stepCount: 0 } })
    expect(server.refused).toHaveLength(1)
  })
})

test.each(['Compact', '', null, true])('compactHistory rejects the name %j', (name) => {
  expect(() => compactHistory(({ messages }) => messages, { name: name as string })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('Use a name such as'),
    }),
  )
})
