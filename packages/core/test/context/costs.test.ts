import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AgentOptions,
  type AnyTool,
  agentTool,
  backgroundCalls,
  type ChatModel,
  clearResults,
  guard,
  handoff,
  type RunEvent,
  type RunOptions,
  type RunResult,
  summarizeHistory,
  tool,
  verdict,
} from '../../src/index.js'
import { type Asked, protocolNames, type Said, startWireServer } from './wire-server.js'

/** Prices whose sums have many digits as binary fractions. */
const price = {
  m: { inputTokens: 1.3e-7, cachedInputTokens: 0.33e-7, outputTokens: 7.1e-7 },
  other: { inputTokens: 2.7e-8, cachedInputTokens: 0.7e-8, outputTokens: 1.9e-7 },
  painter: { images: 0.0301 },
}

const read = tool({
  name: 'read',
  description: 'Reads a page',
  parameters: z.object({ page: z.number() }),
  execute: ({ page }) => `Page ${page}. ${'The harbour opens at six, and the boats go out. '.repeat(40)}`,
})
const paint = tool({
  name: 'paint',
  description: 'Paints',
  parameters: z.object({ images: z.number() }),
  execute: ({ images }, { spend }) => spend({ images, model: 'painter' }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({}),
  needsApproval: true,
  execute: (_args, { spend }) => spend({ images: 1, model: 'painter' }),
})
const later = tool({
  name: 'later',
  description: 'Paints in the background',
  parameters: z.object({}),
  background: true,
  execute: (_args, { spend }) => spend({ images: 2, model: 'painter' }),
})

const call = (name: string, given: object = {}) => ({ name, arguments: given })
const calls = (...made: ReturnType<typeof call>[]): Said => ({ calls: made })
const pages = (count: number) => Array.from({ length: count }, (_, page) => calls(call('read', { page })))

interface Scene {
  /** What each model says in turn. */
  readonly say: Readonly<Record<string, readonly Said[]>>
  readonly agent?: (model: (name: string) => ChatModel) => Partial<AgentOptions<readonly AnyTool[]>>
  readonly run?: RunOptions
  /** Steps with a call that runs on: the event of their end comes before it has spent something. */
  readonly runsOn?: readonly number[]
}

const scenes: Readonly<Record<string, Scene>> = {
  'calls that spend': {
    say: { m: [calls(call('paint', { images: 3 }), call('read', { page: 1 })), { text: 'Done.' }] },
  },
  'summaries, and cleared results': {
    say: { m: [...pages(14), { text: 'Done.' }] },
    agent: () => ({
      middleware: [clearResults({ maxTokens: 2500, keep: 1 }), summarizeHistory({ maxTokens: 2000 })],
    }),
  },
  'summaries by another model': {
    say: { m: [...pages(9), { text: 'Done.' }] },
    agent: (model) => ({ middleware: [summarizeHistory({ maxTokens: 2000, model: model('other') })] }),
  },
  'a reply that is denied, and an empty one': {
    say: { m: [...pages(2), { text: 'A secret.' }, { text: '' }, { text: 'Nothing.' }] },
    agent: () => ({
      middleware: [
        guard({ reply: (text) => (text.includes('secret') ? verdict.deny('a secret') : verdict.allow) }),
      ],
    }),
  },
  'a final answer, asked for again without tools': {
    say: { m: [...pages(3), calls(call('read', { page: 9 })), { text: 'So far.' }] },
    run: { limits: { steps: 3 } },
  },
  'two child agents, of which one waits': {
    say: {
      m: [calls(call('child', { input: 'One.' }), call('child', { input: 'Two.' })), { text: 'Done.' }],
      other: [calls(call('read', { page: 1 })), calls(call('pay')), { text: 'Read.' }, { text: 'Paid.' }],
    },
    agent: (model) => ({
      tools: [read, agentTool(new Agent({ name: 'child', model: model('other'), tools: [read, pay] }))],
    }),
  },
  'a handoff': {
    say: {
      m: [...pages(1), calls(call('transfer_to_second'))],
      other: [...pages(2), calls(call('pay')), { text: 'Done.' }],
    },
    agent: (model) => ({
      tools: [read, handoff(new Agent({ name: 'second', model: model('other'), tools: [read, pay], price }))],
    }),
  },
  'a call in the background': {
    say: { m: [calls(call('later')), ...pages(2), { text: 'Done.' }, { text: 'Painted.' }] },
    agent: () => ({ tools: [read, later], middleware: [backgroundCalls()] }),
    runsOn: [0],
  },
  'calls that wait in two steps': {
    say: {
      m: [calls(call('pay'), call('read', { page: 1 })), ...pages(1), calls(call('pay')), { text: 'Done.' }],
    },
  },
}

describe.each(protocolNames)('over %s', (protocol) => {
  test.each(Object.entries(scenes))('the costs of steps add up: %s', async (_name, scene) => {
    const { say, agent, run, runsOn = [] } = scene
    const turns = new Map<string, number>()
    const answer = ({ model, isSummary }: Asked): Said => {
      if (isSummary && (model !== 'm' || agent)) return { text: `A summary of ${model}.` }
      const turn = turns.get(model) ?? 0
      turns.set(model, turn + 1)
      return say[model]?.[turn] ?? 500
    }
    await using server = await startWireServer({ say: answer })
    const model = (name: string) => server.model(protocol, { name })
    const options = {
      model: model('m'),
      tools: [read, paint, pay],
      price,
      ...agent?.(model),
    } as AgentOptions<readonly AnyTool[]>
    const newAgent = () => new Agent(options)
    const ofEvents = new Map<number, unknown>()
    const ofSteps = new Map<number, unknown>()
    const observe = (event: RunEvent) => {
      if (event.type === 'step-end' && !event.parentCallId) ofEvents.set(event.step, event.cost)
    }
    let result: RunResult = await newAgent().run('Go.', { observe, ...run })
    for (;;) {
      for (const { step, cost } of result.steps) ofSteps.set(step, cost)
      if (result.stopReason !== 'pending') break
      const decisions = Object.fromEntries(
        (result.pending ?? []).map(({ callId }) => [callId, { type: 'approve' as const }]),
      )
      result = await newAgent().run(JSON.parse(JSON.stringify(result.state)), { observe, decisions, ...run })
    }
    expect(result.stopReason).toBe(run ? 'limit' : 'done')
    const isOver = ([step]: readonly [number, unknown]) => !runsOn.includes(step)
    expect([...ofEvents].filter(isOver)).toEqual([...ofSteps].filter(isOver))
    const costs = [...ofSteps.values()] as readonly number[]
    const sum = costs.reduce((all, cost) => all + cost, 0)
    const whole = result.usage.cost as number
    expect(Math.abs(sum - whole)).toBeLessThanOrEqual(1e-11 * whole)
    for (const cost of [whole, ...costs]) expect(digitsOf(cost)).toBeLessThanOrEqual(12)
    expect(server.faults).toEqual([])
  })
})

function digitsOf(value: number): number {
  return String(value)
    .replace(/e.*|\./g, '')
    .replace(/^0+/, '').length
}
