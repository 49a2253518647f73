import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { some } from '../../../../scripts/cases.mjs'
import {
  Agent,
  agentTool,
  type Message,
  type Middleware,
  memorySessions,
  type RunEvent,
  type RunResult,
  summarizeHistory,
  tool,
  trimHistory,
} from '../../src/index.js'
import { expectSound } from '../run-control/soundness.js'
import { type Asked, isExtending, protocolNames, type Said, startWireServer } from './wire-server.js'

const factsIn = (text: string): readonly string[] => [...new Set(text.match(/fact-\d+=\w+/g))]

const pageOf = (page: number, bytes: number) =>
  `fact-${page}=Oslo${page} ${'The harbour opens at six, and the boats go out. '.repeat(bytes / 48)}`

const lookWith = (bytes: number) =>
  tool({
    name: 'look',
    description: 'Looks at a page',
    parameters: z.object({ page: z.number() }),
    execute: ({ page }) => pageOf(page, bytes),
  })

interface Pages {
  readonly steps: number
  /** Calls of each reply. Default 1. */
  readonly calls?: number
}

/** A model that looks at pages, and summarises a text by its facts. */
function reading({ steps, calls = 1 }: Pages) {
  return ({ model, turn, isSummary, prompt }: Asked): Said => {
    if (isSummary) return { text: factsIn(prompt).join(' ') || 'Nothing.' }
    if (model === 'parent' && turn === 0)
      return { calls: [{ name: 'reader', arguments: { input: 'Read.' } }] }
    if (model === 'parent' || turn >= steps) return { text: 'That is all.' }
    const pages = Array.from({ length: calls }, (_, at) => turn * calls + at)
    return { calls: pages.map((page) => ({ name: 'look', arguments: { page } })) }
  }
}

const exchanges: readonly Message[] = Array.from({ length: 30 }, (_, at) => [
  { role: 'user' as const, content: `What is in hall ${at}?` },
  { role: 'assistant' as const, content: `In hall ${at} is fact-${1000 + at}=Bergen${at}.` },
]).flat()

const variants = {
  '60 steps': {},
  'six calls a step': { calls: 6 },
  'a child agent': { isChild: true },
  'after 30 exchanges': { before: exchanges },
  'in a session with 30 exchanges': { inSession: true },
  'six calls of 20 kB a step, each step too long alone': { calls: 6, bytes: 20_000 },
} as const

interface Variant extends Partial<Pages> {
  /** Of each result. Default: 20 kB for all of a step. */
  readonly bytes?: number
  readonly isChild?: boolean
  readonly before?: readonly Message[]
  readonly inSession?: boolean
}

const rows = protocolNames.flatMap((protocol) =>
  [false, true].flatMap((isStreamed) =>
    Object.entries(variants).map(([name, variant]) => {
      return [protocol, isStreamed ? 'streamed' : 'whole', name, variant as Variant] as const
    }),
  ),
)

interface Given extends Variant {
  readonly model: Parameters<typeof agentOf>[0]['model']
  readonly parent: Given['model']
  readonly bytes: number
  readonly middleware: readonly Middleware[]
  readonly isStreamed: boolean
}

function agentOf(
  options: Pick<ConstructorParameters<typeof Agent>[0] & object, 'model' | 'middleware'> & { bytes: number },
) {
  const { bytes, ...rest } = options
  return new Agent({
    ...rest,
    name: 'reader',
    tools: [lookWith(bytes)],
    instructions: 'Read all pages.',
    limits: { steps: 100 },
  })
}

async function play({
  model,
  parent,
  bytes,
  middleware,
  isStreamed,
  isChild,
  before = [],
  inSession,
}: Given) {
  const events: RunEvent[] = []
  const reader = agentOf({ model, middleware, bytes })
  const agent = isChild ? new Agent({ model: parent, tools: [agentTool(reader)] }) : reader
  const store = memorySessions()
  if (inSession) await store.append('one', exchanges, 0)
  const input = [...before, { role: 'user', content: 'Read the pages.' } as const]
  const options = {
    observe: (event: RunEvent) => events.push(event),
    ...(inSession && { session: { store, id: 'one' } }),
  }
  const result: RunResult = await (isStreamed
    ? agent.stream(input, options).result
    : agent.run(input, options))
  expectSound(result)
  return { result, events, store }
}

describe('60 steps of 20 kB under summarizeHistory({ maxTokens: 20_000 })', () => {
  test.each(some(rows, 11))('over %s, %s: %s', async (protocol, how, _name, variant) => {
    const { calls = 1, isChild, before, inSession } = variant
    await using server = await startWireServer({ say: reading({ steps: 60, calls }) })
    const { result, events, store } = await play({
      ...variant,
      model: server.model(protocol),
      parent: server.model(protocol, { name: 'parent' }),
      bytes: variant.bytes ?? 20_000 / calls,
      middleware: [summarizeHistory({ maxTokens: 20_000 })],
      isStreamed: how === 'streamed',
    })
    expect(result).toMatchObject({ stopReason: 'done', text: 'That is all.' })
    expect(server.faults).toEqual([])
    expect(Math.max(...server.answered.map(({ tokens }) => tokens))).toBeLessThan(1.15 * 20_000)
    const summaries = server.answered.filter(({ isSummary }) => isSummary)
    expect(summaries.length).toBeGreaterThanOrEqual(3)
    expect(summaries.length).toBeLessThanOrEqual(40)
    const main = server.answered.filter((one) => one.model === 'm' && !one.isSummary)
    expect(main).toHaveLength(61)
    const told = factsIn(main.at(-1)?.prompt ?? '')
    for (let page = 0; page < 60 * calls; page++) expect(told).toContain(`fact-${page}=Oslo${page}`)
    const earlier = before || inSession ? 30 : 0
    expect(told).toHaveLength(60 * calls + earlier)
    expect(events.some(({ type }) => type === 'context-trimmed')).toBe(true)
    if (isChild) return
    // The run and the session keep all of it.
    expect(factsIn(JSON.stringify(result.messages))).toHaveLength(told.length)
    if (!inSession) return
    const { messages } = await store.load('one')
    expect(factsIn(JSON.stringify(messages))).toHaveLength(told.length)
  })
})

const servers = [
  ['tells its window', { tells: true }],
  ['tells no number', { tells: false }],
  ['tells its window, and counts 2.5 characters as a token', { characters: 2.5 }],
  ['tells no number, and counts 2.5 characters as a token', { tells: false, characters: 2.5 }],
  ['tells its window, and counts 6 characters as a token', { characters: 6 }],
  ['tells no number, and counts 6 characters as a token', { tells: false, characters: 6 }],
] as const

const refusals = protocolNames.flatMap((protocol) =>
  servers.flatMap(([what, given]) => [6000, 20_000].map((bytes) => [protocol, what, bytes, given] as const)),
)

describe('40 steps over a server that refuses above 20,000 tokens', () => {
  test.each(some(refusals, 13))('%s that %s, %d bytes a step', async (...row) => {
    const [protocol, , bytes, given] = row
    const { tells = true } = given as { readonly tells?: boolean }
    await using server = await startWireServer({ say: reading({ steps: 40 }), window: 20_000, ...given })
    const model = server.model(protocol)
    const { result } = await play({ model, parent: model, bytes, middleware: [], isStreamed: false })
    expect(result).toMatchObject({ stopReason: 'done', text: 'That is all.' })
    expect(server.faults).toEqual([])
    expect(server.refused.length).toBeGreaterThan(0)
    expect(server.refused.length).toBeLessThanOrEqual(tells ? 3 : 5)
  })
})

const known = protocolNames.flatMap((protocol) =>
  [2.5, 4, 6].map((characters) => [protocol, characters] as const),
)

describe('40 steps with contextTokens: 20_000', () => {
  test.each(some(known, 7))('over %s with %d characters a token', async (protocol, characters) => {
    await using server = await startWireServer({ say: reading({ steps: 40 }), window: 20_000, characters })
    const model = server.model(protocol, { contextTokens: 20_000 })
    const { result, events } = await play({
      model,
      parent: model,
      bytes: 6000,
      middleware: [],
      isStreamed: false,
    })
    expect(result.stopReason).toBe('done')
    expect(server.refused).toEqual([])
    const main = server.answered.filter(({ isSummary }) => !isSummary)
    expect(Math.max(...main.map(({ tokens }) => tokens))).toBeGreaterThan(0.55 * 20_000)
    const trimmed = events.flatMap((event) => (event.type === 'context-trimmed' ? event : []))
    expect(trimmed.length).toBeGreaterThan(0)
    for (const [at, { step, tokens }] of trimmed.entries()) {
      // Of several in one step the last one tells what is sent.
      if (trimmed[at + 1]?.step === step) continue
      const counted = main[step]?.tokens ?? 0
      expect(Math.abs(tokens.after - counted) / counted).toBeLessThan(0.15)
    }
  })
})

describe('the prefix', () => {
  test.each(protocolNames)(
    'of 60 steps under trimHistory is re-read little more than twice, over %s',
    async (protocol) => {
      await using server = await startWireServer({ say: reading({ steps: 60 }) })
      const model = server.model(protocol)
      const middleware = [trimHistory({ maxTokens: 32_000 })]
      const { result, events } = await play({
        model,
        parent: model,
        bytes: 20_000,
        middleware,
        isStreamed: false,
      })
      expect(result.stopReason).toBe('done')
      const read = server.answered.reduce((sum, { tokens, cached }) => sum + tokens - cached, 0)
      expect(read).toBeLessThan((2.2 * 60 * 20_000) / 4)
      const broken = server.answered.flatMap((one, at, all) =>
        isExtending(all[at - 1], one) ? [] : [one.turn],
      )
      const told = events.flatMap((event) => (event.type === 'prefix-broken' ? [event] : []))
      expect(told.map(({ step }) => step)).toEqual(broken)
      expect(new Set(told.map(({ because }) => because))).toEqual(new Set(['trim-history']))
    },
  )
})
