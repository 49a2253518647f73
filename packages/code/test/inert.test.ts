import {
  Agent,
  type AgentOptions,
  type AnyTool,
  guard,
  hasCalled,
  type Middleware,
  type RunOptions,
  summarizeHistory,
  tool,
} from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode } from '../src/index.js'

const next = () =>
  tool({
    name: 'next',
    description: 'Returns the same each time.',
    parameters: z.object({}),
    effects: 'read',
    execute: () => ({ text: 'x'.repeat(2000) }),
  })

/** Twelve equal calls. */
const code = `let count = 0
for (let i = 0; i < 12; i++) count += (await tools.next()).text.length
return count`

interface Setup {
  readonly agent?: Partial<AgentOptions<readonly AnyTool[]>>
  readonly run?: RunOptions
  readonly last?: ScriptStep
}

async function runProgram({ agent, run, last = reply.text('24000') }: Setup, seen: string[] = []) {
  const model = scriptedModel([reply.call('run_program', { code }), last])
  const { middleware = [], ...others } = agent ?? {}
  const watch: Middleware = { name: 'watch', observe: (event) => void seen.push(event.type) }
  const made = new Agent({
    model,
    tools: [next()],
    ...others,
    middleware: [...middleware, codeMode(), watch],
  })
  const result = await made.run('Count', run)
  return { result, model }
}

const judged: string[] = []
const judge = guard({
  input: (text) => void judged.push(text),
  reply: (text) => void judged.push(text),
})

/** What is about a model and its replies has no part in a program. */
const rows: readonly (readonly [string, () => Setup])[] = [
  ['the limit of steps', () => ({ run: { limits: { steps: 2 } } })],
  ['the detection of repeated steps', () => ({})],
  [
    'instructions',
    () => ({
      agent: {
        instructions: () => {
          judged.push('instructions')
          return 'Be brief.'
        },
      },
    }),
  ],
  ['a condition to stop', () => ({ agent: { stopWhen: hasCalled('next') } })],
  ['a forced tool', () => ({ agent: { toolChoice: 'run_program' } })],
  [
    'steps that offer no tools',
    () => ({ agent: { prepareStep: ({ step }) => (step > 0 ? { tools: [] } : undefined) } }),
  ],
  ['guards of inputs and replies', () => ({ agent: { middleware: [judge] } })],
  ['compaction', () => ({ agent: { middleware: [summarizeHistory({ maxTokens: 1000, keepTokens: 500 })] } })],
  [
    'a middleware of each request and step',
    () => ({
      agent: {
        middleware: [
          {
            name: 'nosy',
            beforeModel: (call) => void judged.push(`request ${call.messages.length}`),
            beforeStep: () => void judged.push('step'),
            afterReply: () => void judged.push('reply'),
            afterStep: (results) => void judged.push(`results ${results.length}`),
          },
        ],
      },
    }),
  ],
]

test.each(rows)('%s: not in programs', async (name, setup) => {
  judged.length = 0
  const { result } = await runProgram(setup())
  const program = result.toolCalls[0]
  expect(program).toMatchObject({ name: 'run_program', status: 'ok', content: '24000' })
  expect(result.usage.perTool).toEqual({ next: 12, run_program: 1 })
  if (name === 'a condition to stop') expect(result.stopReason).toBe('done')
  else expect(result.text).toBe('24000')
  // Only those of the run itself: at most one for each request, reply and step.
  expect(judged.length, judged.join('\n')).toBeLessThanOrEqual(8)
  expect(result.usage.requests).toBe(2)
})

test('an output schema is that of the answer, not of programs', async () => {
  const output = z.object({ count: z.number() })
  const { result } = await runProgram({
    agent: { output },
    last: reply.call('final_answer', { count: 24_000 }),
  })
  expect(result.output).toEqual({ count: 24_000 })
  expect(result.toolCalls[0]?.content).toBe('24000')
})

test('a program has no tokens and no cost, and counts no request', async () => {
  const price = { scripted: { inputTokens: 1, outputTokens: 1 } }
  const { result } = await runProgram({ agent: { price } })
  const { usage } = result.toolCalls[0] as unknown as { readonly usage: object }
  expect(usage).toMatchObject({ requests: 0, totalTokens: 0, toolCalls: 12 })
  expect(result.usage.cost).toBeTypeOf('number')
})

test('events of its calls name the call of the program', async () => {
  const model = scriptedModel([reply.call('run_program', { code }, { id: 'program' }), reply.text('24000')])
  const agent = new Agent({ model, tools: [next()], middleware: [codeMode()] })
  const run = agent.stream('Count')
  const ends: [string | undefined, string][] = []
  run.on('tool-end', ({ parentCallId, callId }) => ends.push([parentCallId, callId]))
  await run.result
  expect(ends.slice(0, 2)).toEqual([
    ['program', 'call0'],
    ['program', 'call1'],
  ])
  expect(ends.at(-1)).toEqual([undefined, 'program'])
})
