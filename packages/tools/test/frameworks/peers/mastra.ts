// Tools of Mastra 1 and 0, in the forms of its docs, in a run of ours.
import assert from 'node:assert/strict'
import { Agent, memoryArtifacts } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { fromMastraTools } from '@capstan/tools/frameworks'
import { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import { createTool as createTool0 } from 'mastra0/tools'
import * as z from 'zod'
import { picture } from '../picture.js'
import { runCalls } from '../run-calls.js'

const inputSchema = z.object({ city: z.string(), unit: z.enum(['c', 'f']).default('c') })
const noInput = z.object({})
const outputSchema = z.object({ city: z.string(), degrees: z.number(), unit: z.string() })
const seen: unknown[] = []

const given = {
  weather: createTool({
    id: 'weather-tool',
    description: 'The weather of a city',
    inputSchema,
    outputSchema,
    execute: async ({ city, unit }) => ({ city, degrees: 3, unit }),
  }),
  wrong: createTool({
    id: 'wrong',
    description: 'Returns what its schema does not have',
    inputSchema: noInput,
    outputSchema,
    execute: async () => ({ city: 'Oslo' }) as never,
  }),
  day: createTool({
    id: 'day',
    description: 'The year of a day',
    inputSchema: z.object({ at: z.coerce.date() }),
    execute: async ({ at }) => at.getUTCFullYear(),
  }),
  facts: createTool({
    id: 'facts',
    description: 'What a tool is told',
    inputSchema: noInput,
    requestContextSchema: z.object({ user: z.string() }),
    execute: async (_input, context) => {
      await context.writer?.write({ type: 'status', at: 1 })
      await context.writer?.custom({ type: 'data-status', data: { at: 2 } })
      const spanned = await context.observe.span('work', async () => 'spanned')
      const { requestContext, abortSignal, agent } = context
      return [
        requestContext.get('user'),
        abortSignal?.aborted,
        agent?.toolCallId,
        agent?.messages.length,
        spanned,
      ]
    },
  }),
  hooks: createTool({
    id: 'hooks',
    description: 'Has hooks',
    inputSchema: z.object({ n: z.number() }),
    onInputAvailable: ({ input }) => void seen.push(input),
    onOutput: ({ output, toolName }) => void seen.push(output, toolName),
    execute: async ({ n }) => ({ n }),
  }),
  photo: createTool({
    id: 'photo',
    description: 'Takes a photo',
    inputSchema: noInput,
    execute: async () => ({ png: picture.toString('base64'), taken: 'now' }),
    outputSchema: z.object({ png: z.string(), taken: z.string() }),
    toModelOutput: ({ png, taken }) => ({
      type: 'content',
      value: [
        { type: 'text', text: taken },
        { type: 'image-data', data: png, mediaType: 'image/png' },
        { type: 'image-url', url: 'https://example.com/a.png' },
      ],
    }),
  }),
  suspends: createTool({
    id: 'suspends',
    description: 'Suspends',
    inputSchema: noInput,
    execute: async (_input, { suspend, agent }) => {
      await (suspend ?? agent?.suspend)?.({ why: 'no reason' })
      return 'went on'
    },
  }),
  fails: createTool({
    id: 'fails',
    description: 'Fails',
    inputSchema: noInput,
    execute: async () => {
      throw new Error('out of order')
    },
  }),
  none: createTool({ id: 'none', description: 'No input', execute: async () => 'none' }),
  old: createTool0({
    id: 'old',
    description: 'The weather of a city, in version 0',
    inputSchema,
    outputSchema,
    execute: async ({ context: { city, unit }, runtimeContext }, options) => {
      seen.push(
        runtimeContext.get('user' as never),
        Object(options).toolCallId,
        options?.abortSignal?.aborted,
      )
      return { city, degrees: 4, unit: unit ?? 'c' }
    },
  }),
}
const tools = fromMastraTools(given)
const artifacts = memoryArtifacts()
const { toolCalls, events } = await runCalls(
  tools,
  [
    ['weather', { city: 'Oslo' }],
    ['wrong'],
    ['day', { at: '2026-11-30' }],
    ['facts'],
    ['hooks', { n: 1 }],
    ['photo'],
    ['suspends'],
    ['fails'],
    ['none'],
    ['old', { city: 'Rome', unit: 'f' }],
    ['weather', { city: 1 }],
  ],
  { artifacts, context: { user: 'ann' } },
)
const [stored] = await artifacts.list()
const ok = (at: number) => toolCalls[at]?.result
assert.deepEqual(ok(0), { city: 'Oslo', degrees: 3, unit: 'c' })
assert.match(toolCalls[1]?.content ?? '', /Error: .*wrong/s)
assert.equal(ok(2), 2026)
assert.deepEqual(ok(3), ['ann', false, 'call_1_4', 1, 'spanned'])
assert.deepEqual(ok(4), { n: 1 })
assert.deepEqual(JSON.parse(toolCalls[5]?.content ?? ''), {
  text: 'now',
  artifacts: [{ artifact: stored?.id, mediaType: 'image/png' }],
  links: ['https://example.com/a.png'],
})
assert.match(toolCalls[6]?.content ?? '', /suspends its run/)
assert.match(toolCalls[7]?.content ?? '', /out of order/)
assert.equal(ok(8), 'none')
assert.deepEqual(ok(9), { city: 'Rome', degrees: 4, unit: 'f' })
assert.equal(toolCalls[10]?.status, 'rejected')
const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort()
assert.deepEqual(sorted(seen), sorted([{ n: 1 }, { n: 1 }, 'hooks', 'ann', 'call_1_10', false]))
const progress = events.flatMap((event) =>
  Object(event).type === 'tool-progress' ? [Object(event).value] : [],
)
assert.deepEqual(progress, [
  { type: 'status', at: 1 },
  { type: 'data-status', data: { at: 2 } },
])

// Their own context of a request is passed on.
const own = new RequestContext([['user', 'bob']])
const facts = fromMastraTools({ facts: given.facts })
assert.equal((await runCalls(facts, [['facts']], { context: own })).results.flat()[0], 'bob')

// Approvals.
const pay = (requireApproval: boolean | ((input: { amount: number }) => boolean)) =>
  createTool({
    id: 'pay',
    description: 'Pays',
    inputSchema: z.object({ amount: z.number() }),
    requireApproval,
    execute: async ({ amount }) => ({ amount }),
  })
const model = scriptedModel([
  reply.calls(
    reply.call('always', { amount: 1 }),
    reply.call('large', { amount: 1 }),
    reply.call('large', { amount: 100 }),
  ),
  reply.text('Paid.'),
])
const agent = new Agent({
  model,
  tools: fromMastraTools({ always: pay(true), large: pay(({ amount }) => amount > 10) }),
})
const { pending = [], state } = await agent.run('Pay')
assert.deepEqual(
  pending.map(({ name, arguments: args }) => [name, args]),
  [
    ['always', { amount: 1 }],
    ['large', { amount: 100 }],
  ],
)
const decisions = Object.fromEntries(pending.map(({ callId }) => [callId, { type: 'approve' as const }]))
assert.equal((await agent.run(state, { decisions })).text, 'Paid.')

assert.throws(
  () =>
    fromMastraTools({
      ask: createTool({
        id: 'ask',
        description: 'Asks',
        suspendSchema: z.object({ q: z.string() }),
        execute: async () => 1,
      }),
    }),
  { code: 'unsupported' },
)
assert.throws(
  () =>
    fromMastraTools({
      hide: createTool({ id: 'hide', description: 'Hides', transform: {}, execute: async () => 1 }),
    }),
  { code: 'unsupported' },
)
console.log(`Mastra: ${tools.length} tools, ${toolCalls.length} calls`)
