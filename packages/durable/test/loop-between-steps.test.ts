import {
  Agent,
  type AnyAgent,
  agentTool,
  CapstanError,
  cacheTools,
  type Decision,
  guard,
  type HostContext,
  handoff,
  jsonSchema,
  logRuns,
  memoryArtifacts,
  modelPerStep,
  type PendingCall,
  type PrepareOptions,
  type RunInput,
  type RunState,
  retryTools,
  safeRepair,
  summarizeHistory,
  tool,
  trimHistory,
  verdict,
  without,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { Poison } from './poison.js'

const poison = new Poison()
afterAll(() => poison.end())
beforeEach(() => {
  poison.found.clear()
  poison.foundInSettle.clear()
})

interface Going {
  readonly input?: RunInput
  readonly options?: PrepareOptions
  readonly decide?: (call: PendingCall) => Decision
  readonly binding?: Partial<HostContext>
}

/** Executes a run as an engine executes child runs, and continues it when it is pending. */
async function run(
  agent: AnyAgent,
  { input = 'Go.', options, decide, binding }: Going = {},
): Promise<RunState> {
  const whole: HostContext = {
    runId: 'r',
    agents: agent.agents,
    context: undefined,
    signal: new AbortController().signal,
    emit: () => {},
    artifacts: memoryArtifacts(),
    ...binding,
  }
  agentTool(agent)
  const state = await poison.proceed(await agent.prepare(input, { runId: 'r', ...options }), whole)
  if (state.stopReason !== 'pending' || !decide) return state
  const decisions = Object.fromEntries(state.pending.map((one) => [one.callId, decide(one)]))
  return poison.proceed(await agent.prepare(state, { decisions }), whole)
}

const parameters = jsonSchema({ type: 'object' })
const named = (name: string, value: unknown = 'ok', more: object = {}) =>
  tool({ name, description: 'Does it.', parameters, execute: () => value, ...more })
const ended = (state: RunState) => [state.stopReason, state.flags.failure]

/** Checks that a run had no side effects between its steps. */
const clean = () => expect([...poison.found, ...poison.foundInSettle]).toEqual([])

test('finds side effects between steps, and only there', async () => {
  const own = new Poison()
  const noisy = new Agent({
    model: scriptedModel([reply.call('now'), reply.text('Done.')]),
    tools: [tool({ name: 'now', description: '.', parameters, execute: () => Date.now() })],
    stopWhen: () => Math.random() > 2,
  })
  agentTool(noisy)
  const whole = { runId: 'r', agents: noisy.agents, context: undefined, emit: undefined }
  const signal = new AbortController().signal
  await own.proceed(await noisy.prepare('Go.'), { ...whole, signal, artifacts: memoryArtifacts() })
  own.end()
  expect([...own.found]).toEqual([expect.stringMatching(/^Math\.random in /)])
})

test('concurrent calls, invalid arguments and long results', async () => {
  const agent = new Agent({
    model: scriptedModel([
      reply.calls(reply.call('f'), reply.call('long'), reply.call('f', '{"broken'), reply.call('nobody')),
      reply.call('read_artifact', { id: 'txt_none' }),
      reply.text('Done.'),
    ]),
    tools: [named('f'), named('long', 'x'.repeat(5000), { maxResultBytes: 256 })],
    repair: safeRepair,
  })
  expect(ended(await run(agent))).toEqual(['done', undefined])
  clean()
})

test('nested child agents with their usage and remaining limits', async () => {
  const leaf = new Agent({
    name: 'leaf',
    model: scriptedModel([reply.call('f'), reply.text('Leaf.')]),
    tools: [named('f')],
  })
  const middle = new Agent({
    name: 'middle',
    model: scriptedModel([reply.call('leaf', { input: '?' }), reply.text('Middle.')]),
    tools: [agentTool(leaf)],
  })
  const top = new Agent({
    name: 'top',
    model: scriptedModel([reply.call('middle', { input: '?' }), reply.text('Done.')]),
    tools: [agentTool(middle)],
  })
  expect(ended(await run(top, { options: { limits: { seconds: 60, tokens: 1e6, toolCalls: 9 } } }))).toEqual([
    'done',
    undefined,
  ])
  clean()
})

test('long text of a child agent is stored within its step', async () => {
  const long = new Agent({ name: 'long', model: scriptedModel([reply.text('y'.repeat(5000))]) })
  const top = new Agent({
    model: scriptedModel([reply.call('long', { input: '?' }), reply.text('Done.')]),
    tools: [agentTool(long, { maxResultBytes: 256 })],
  })
  expect(ended(await run(top))).toEqual(['done', undefined])
  expect([...poison.found]).toEqual([])
  expect([...poison.foundInSettle]).toEqual([
    'crypto.subtle.digest in src/artifacts/memory-artifacts.ts',
    'Promise.all in src/artifacts/memory-artifacts.ts',
  ])
})

test('pending calls of an agent and of child agents', async () => {
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('send'), reply.text('Sent.')]),
    tools: [named('send', 'sent', { needsApproval: true })],
  })
  const asks = () =>
    new Agent({
      name: 'asks',
      model: scriptedModel([
        reply.calls(reply.call('send'), reply.call('answer'), reply.call('inner', { input: '?' })),
        reply.text('Done.'),
      ]),
      tools: [
        named('send', 'sent', { needsApproval: true }),
        tool({ name: 'answer', description: 'Of the caller.', parameters }),
        agentTool(inner),
      ],
    })
  const decide = ({ kind }: PendingCall): Decision =>
    kind === 'result' ? { type: 'result', value: { at: new Date(0) } } : { type: 'approve' }
  expect(ended(await run(asks(), { decide }))).toEqual(['done', undefined])
  clean()
})

test('decisions that a host waits for in place, and denials', async () => {
  const agent = new Agent({
    model: scriptedModel([reply.calls(reply.call('send'), reply.call('send')), reply.text('Done.')]),
    tools: [named('send', 'sent', { needsApproval: true })],
  })
  const decided = async (): Promise<Decision> => ({ type: 'deny', reason: 'no' })
  expect(ended(await run(agent, { binding: { decided } }))).toEqual(['done', undefined])
  clean()
})

test('limits, and the final answer after them', async () => {
  // A time limit is checked between steps, whether or not it has been reached.
  const bounds = [{ steps: 1 }, { toolCalls: 1 }, { tokens: 1 }, { steps: 1, seconds: 1000 }]
  for (const limits of bounds) {
    const agent = new Agent({
      model: scriptedModel([
        reply.calls(reply.call('f'), reply.call('f')),
        reply.text('So far.'),
        reply.text('So far.'),
      ]),
      tools: [named('f')],
    })
    expect(ended(await run(agent, { options: { limits } }))).toEqual(['limit', undefined])
  }
  clean()
})

test('structured output, by the server and by a tool', async () => {
  const output = z.object({ city: z.string() })
  for (const structuredOutput of [true, false]) {
    const said = structuredOutput
      ? [reply.text('{"city":1}'), reply.text('{"city":"Oslo"}')]
      : [reply.text('Oslo'), reply.call('final_answer', { city: 'Oslo' })]
    const agent = new Agent({ model: { ...scriptedModel(said), structuredOutput }, output })
    const { output: came, stopReason } = await run(agent as unknown as AnyAgent)
    expect([stopReason, came]).toEqual(['done', { city: 'Oslo' }])
  }
  clean()
})

test('compacted histories, and summaries by an extra request', async () => {
  const tools = [named('f', 'words '.repeat(800)), named('g', 'words '.repeat(800))]
  const script = [reply.call('f'), reply.call('g'), reply.call('f', { a: 1 }), reply.text('Done.')]
  const trimmed = await run(
    new Agent({ model: scriptedModel(script), tools, middleware: [trimHistory({ maxTokens: 2500 })] }),
  )
  expect(ended(trimmed)).toEqual(['done', undefined])
  const words = 'words '.repeat(800)
  const talk = [0, 1, 2, 3].flatMap(() => [
    { role: 'user' as const, content: words },
    { role: 'assistant' as const, content: words },
  ])
  const model = scriptedModel([reply.text('A summary.'), reply.text('A summary.'), reply.text('A summary.')])
  const summarised = await run(
    new Agent({
      model: scriptedModel(script),
      tools,
      middleware: [summarizeHistory({ maxTokens: 2500, model })],
    }),
    { input: [...talk, { role: 'user', content: 'Go.' }] },
  )
  expect(ended(summarised)).toEqual(['done', undefined])
  expect(model.requests.length).toBeGreaterThan(0)
  clean()
})

test('stuck runs', async () => {
  const agent = new Agent({
    model: scriptedModel([...Array.from({ length: 8 }, () => reply.call('f')), reply.text('Stuck.')]),
    tools: [named('f')],
    middleware: [without('final-answer')],
  })
  expect(ended(await run(agent))).toEqual(['stuck', undefined])
  clean()
})

test('handoffs, policies, stop conditions, prepareStep, untrusted tools, and results that end the run', async () => {
  const other = new Agent({
    name: 'other',
    model: scriptedModel([reply.call('web'), reply.call('f'), reply.call('direct'), reply.text('Done.')]),
    tools: [
      named('web', 'words', { untrusted: true }),
      named('f', 1, { effects: 'read' }),
      named('direct', 2, { returnDirect: true, effects: 'read' }),
    ],
    policy: async () => verdict.allow,
  })
  const agent = new Agent({
    name: 'first',
    model: scriptedModel([reply.call('transfer_to_other', {}), reply.text('Done.')]),
    tools: [handoff(other)],
    prepareStep: async () => ({ instructions: 'Be brief.' }),
    stopWhen: () => false,
    instructions: async () => 'Be kind.',
  })
  const state = await run(agent as unknown as AnyAgent)
  expect([state.agent, ...ended(state)]).toEqual(['other', 'done', undefined])
  clean()
})

test('retried, cached, judged and logged calls, and a model for each step: only the log reads a clock', async () => {
  const model = scriptedModel([
    reply.calls(reply.call('f', { a: 1 }), reply.call('down')),
    reply.call('f', { a: 1 }),
    reply.text('Done.'),
  ])
  const down = () => Promise.reject(new CapstanError('network', 'No service.'))
  const lines: string[] = []
  const agent = new Agent({
    model: scriptedModel([]),
    tools: [
      named('f', 'ok', { effects: 'read' }),
      tool({ name: 'down', description: '.', parameters, effects: 'read', execute: down }),
    ],
    middleware: [
      retryTools({ delayMs: 1 }),
      cacheTools({ ttlMs: 1000 }),
      guard({
        input: async () => verdict.replace('Start.'),
        reply: async () => verdict.allow,
        result: async () => verdict.allow,
      }),
      logRuns({ to: (line) => lines.push(line) }),
      modelPerStep(() => model),
    ],
  })
  expect(ended(await run(agent))).toEqual(['done', undefined])
  expect(lines.join('\n')).toMatch(/retry-tools retry.*cache-tools cache-hit/s)
  expect([...poison.found]).toEqual(['Date.now in src/features/log-runs.ts'])
  expect([...poison.foundInSettle]).toEqual([])
})

test('runs that fail, and runs that are aborted', async () => {
  const failing = new Agent({ model: scriptedModel([reply.call('f')]), tools: [named('f')] })
  expect((await run(failing)).flags.failure).toBeDefined()
  const stop = new AbortController()
  const stopped = new Agent({
    model: scriptedModel([reply.call('stop'), reply.text('Never.')]),
    tools: [tool({ name: 'stop', description: '.', parameters, execute: () => stop.abort() })],
  })
  expect(ended(await run(stopped, { binding: { signal: stop.signal } }))).toEqual(['aborted', undefined])
  clean()
})

test('a child run on its own host, with a later decision', async () => {
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('f'), reply.text('Inner.')]),
    tools: [named('f')],
  })
  const agent = new Agent({
    model: scriptedModel([
      reply.calls(reply.call('send', {}, { id: 'c1' }), reply.call('inner', { input: '?' })),
      reply.text('Done.'),
    ]),
    tools: [named('send', 'sent', { needsApproval: true }), agentTool(inner)],
  }) as unknown as AnyAgent
  const { state } = await poison.run(agent, await agent.prepare('Go.', { limits: { seconds: 60 } }))
  expect(state.stopReason).toBe('pending')
  const result = await poison.run(agent, state, { c1: { type: 'approve' } })
  expect(result.stopReason).toBe('done')
  clean()
})
