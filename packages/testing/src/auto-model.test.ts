import { Agent, jsonSchema, tool } from '@capstan/core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../scripts/cases.mjs'
import { anyParameters } from '../../core/test/any-parameters.js'
import { approveAll, autoModel } from './auto-model.js'

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string().min(1).max(80), days: z.int().min(1).max(14).default(1) }),
  effects: 'read',
  execute: ({ city, days }) => `${city}: sunny for ${days} days`,
})
const draw = tool({
  name: 'draw',
  description: 'Draws a picture',
  parameters: jsonSchema({
    type: 'object',
    properties: { prompt: { type: 'string' }, size: { enum: ['small', 'large'] } },
    required: ['prompt'],
    additionalProperties: false,
  }),
  execute: ({ prompt }) => `a picture of ${prompt}`,
})
const ping = tool({ name: 'ping', description: 'Answers', parameters: z.object({}), execute: () => 'pong' })

test('calls every tool: valid and boundary calls run, invalid ones are rejected', async () => {
  const model = autoModel()
  const result = await new Agent({ model, tools: [weather, draw, ping] }).run('Go on')
  expect(result).toMatchObject({ stopReason: 'done', text: 'All tools were called.' })
  expect(model.surprises(result)).toEqual([])
  expect(result.toolCalls.map(({ callId }) => callId)).toEqual(model.cases.map(({ callId }) => callId))
  for (const name of ['get_weather', 'draw'])
    for (const kind of ['valid', 'boundary', 'invalid'])
      expect(model.cases.filter((one) => one.tool === name && one.kind === kind).length).toBeGreaterThan(1)
  expect(model.cases.filter((one) => one.tool === 'ping')).toMatchObject([
    { arguments: {} },
    { arguments: [] },
  ])
})

test('the same seed makes the same calls, another seed others', async () => {
  const casesOf = async (seed: number) => {
    const model = autoModel({ seed, perTool: 4 })
    await new Agent({ model, tools: [weather, draw] }).run('Go on')
    return model.cases
  }
  const [one, again, other] = [await casesOf(1), await casesOf(1), await casesOf(2)]
  expect(one).toHaveLength(8)
  expect(again).toEqual(one)
  expect(other).not.toEqual(one)
})

test('reports a tool that contradicts its schema', async () => {
  const odd = tool({
    name: 'odd',
    description: 'Takes some of what it says',
    parameters: z.object({ text: z.string().refine((text) => text !== '', 'say something') }),
    execute: ({ text }) => {
      if (text.length > 100) throw new Error('too long')
      return text
    },
  })
  const model = autoModel({ perTool: 20 })
  const result = await new Agent({ model, tools: [odd] }).run('Go on')
  expect(model.surprises(result)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^odd\(\{"text":""\}\) is boundary \(text: the shortest text\) but was rejected: .*say some/,
      ),
      expect.stringMatching(/^odd\(.*is boundary \(text: a long text\) but was error: .*too long/),
    ]),
  )
})

test('reports calls without a result', async () => {
  const model = autoModel()
  const result = await new Agent({ model, tools: [weather], limits: { toolCalls: 1 } }).run('Go on')
  expect(model.surprises(result).join('\n')).toContain('but was not_run')
})

const cancel = tool({
  name: 'cancel',
  description: 'Cancels a booking',
  needsApproval: true,
  parameters: z.object({ booking: z.string().min(1) }),
  execute: ({ booking }) => `${booking} is cancelled`,
})

test('lists calls that wait, with the decisions to resume with', async () => {
  const model = autoModel()
  const result = await new Agent({ model, tools: [cancel] }).run('Go on')
  expect(result.stopReason).toBe('pending')
  expect(model.surprises(result)[0]).toBe(
    'cancel({"booking":"text"}) is valid (what is required) but is waiting for approval: "cancel" needs approval. Resume the run: agent.run(result.state, { decisions: approveAll(result) })',
  )
})

test('has no surprises over all results of a run whose calls were approved', async () => {
  const model = autoModel()
  const agent = new Agent({ model, tools: [weather, cancel] })
  const results = [await agent.run('Go on')]
  for (let last = results[0]; last?.pending; last = results.at(-1))
    results.push(await agent.run(last.state, { decisions: approveAll(last) }))
  expect(results.length).toBeGreaterThan(2)
  expect(results.at(-1)).toMatchObject({ stopReason: 'done', text: 'All tools were called.' })
  expect(model.surprises(...results)).toEqual([])
  expect(model.surprises(...results.slice(0, -1)).join()).toContain('is waiting for approval')
})

test('says how to give the result of a tool without a function', async () => {
  const confirm = tool({ name: 'confirm', description: 'Confirms', parameters: z.object({}) })
  const model = autoModel()
  const agent = new Agent({ model, tools: [confirm, cancel] })
  const result = await agent.run('Go on')
  expect(model.surprises(result).find((line) => line.startsWith('confirm'))).toMatch(
    /is waiting for a result\. Pass one: .*\{ auto_\d+: \{ type: 'result', value \} \}/,
  )
  const approved = await agent.run(result.state, { decisions: approveAll(result) })
  expect(() => approveAll(approved)).toThrow('"confirm" is waiting for a result')
  expect(() => approveAll({})).toThrow('No call of this run is pending')
})

test('replies with an example for an agent with structured output', async () => {
  const output = z.object({ sky: z.enum(['clear', 'grey']) })
  const byTool = await new Agent({ model: autoModel(), tools: [ping], output }).run('Go on')
  expect(byTool).toMatchObject({ stopReason: 'done', output: { sky: 'clear' } })
  const model = { ...autoModel(), structuredOutput: true }
  const byForm = await new Agent({ model, tools: [ping], output }).run('Go on')
  expect(byForm).toMatchObject({ stopReason: 'done', output: { sky: 'clear' } })
})

test('calls only offered tools, and a forced tool first', async () => {
  const model = autoModel({ perTool: 2 })
  const agent = new Agent({
    model,
    tools: [weather, draw],
    toolChoice: 'draw',
    prepareStep: ({ step }) => (step > 2 ? { tools: [] } : {}),
  })
  const result = await agent.run('Go on')
  expect(result.stopReason).toBe('done')
  expect(model.cases.slice(0, 2).map((one) => one.tool)).toEqual(['draw', 'draw'])
})

test('tries examples first', async () => {
  const model = autoModel({ examples: { get_weather: [{ city: 'Oslo', days: 3 }] } })
  await new Agent({ model, tools: [weather] }).run('Go on')
  expect(model.cases[0]).toMatchObject({ kind: 'valid', arguments: { city: 'Oslo', days: 3 } })
})

test('streams like a server', async () => {
  const run = new Agent({ model: autoModel(), tools: [ping] }).stream('Go on')
  const words: string[] = []
  for await (const word of run.textStream) words.push(word)
  expect(words).toEqual(['All ', 'tools ', 'were ', 'called.'])
})

test('runs what any schema accepts and has rejected what it does not accept', async () => {
  await fc.assert(
    fc.asyncProperty(anyParameters, fc.integer(), async (parameters, seed) => {
      const any = tool({
        name: 'any',
        description: 'Takes anything',
        parameters: jsonSchema({ ...parameters }),
        execute: () => 'taken',
      })
      const model = autoModel({ seed, perTool: 12 })
      const result = await new Agent({ model, tools: [any] }).run('Go on')
      if (model.cases.some(({ kind }) => kind === 'valid')) expect(model.surprises(result)).toEqual([])
    }),
    { numRuns: cases(40) },
  )
})
