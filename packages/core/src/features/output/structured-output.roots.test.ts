import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { throughJson } from '../../../test/run-control/soundness.js'
import { type Line, type ScriptedServer, startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel, handoff, partialOutput, safeRepair, tool } from '../../index.js'

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('box'), sides: z.array(z.number()) }),
])
const box = { kind: 'box', sides: [1, 2] }

/** Schemas whose root is not an object, each with a matching value. */
const roots = [
  ['an array', z.array(z.string()), ['a', 'b']],
  ['an array of objects', z.array(z.object({ n: z.number() })), [{ n: 1 }, { n: 2 }]],
  ['a union', z.union([z.string(), z.array(z.number())]), [1]],
  ['a union of objects', shape, box],
  ['a string', z.string(), 'yes'],
  ['an empty string', z.string(), ''],
  ['a number', z.number(), 0],
  ['a truth value', z.boolean(), false],
  ['null, or a number', z.number().nullable(), null],
  ['one of some words', z.enum(['good', 'bad']), 'bad'],
] as const

const finalAnswer = (given: unknown): Line => ({ calls: [{ name: 'final_answer', arguments: given }] })
const inWords = (given: unknown): Line => ({ text: JSON.stringify(given) })
const refusal: Line = { status: 400, body: { error: { message: 'response_format is not supported' } } }

const plain = (server: ScriptedServer) => chatModel('m', server)
/** A model whose server supports response formats. */
const formal = ({ baseURL, apiKey }: ScriptedServer) => chatModel('m', { baseURL, apiKey, dialect: 'openai' })

test.each(roots)(
  '%s comes by the tool as an object, and is the caller’s without one',
  async (_, output, value) => {
    await using server = await startScriptedServer([finalAnswer({ result: value })])
    const result = await new Agent({ model: plain(server), output }).run('Go.')
    expect(result).toMatchObject({ stopReason: 'done', stepCount: 1 })
    expect(result.output).toEqual(value)
    expect(result.text).toBe(typeof value === 'string' ? value : JSON.stringify(value))
    expect(result).not.toHaveProperty('incomplete')
    expect(server.requests[0]?.body.tools).toMatchObject([
      { function: { parameters: { type: 'object', properties: { result: {} }, required: ['result'] } } },
    ])
  },
)

test.each(roots)('%s comes in the asked form as an object as well', async (_, output, value) => {
  await using server = await startScriptedServer([inWords({ result: value })])
  const result = await new Agent({ model: formal(server), output }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', stepCount: 1 })
  expect(result.output).toEqual(value)
  expect(server.requests[0]?.body).toMatchObject({
    response_format: {
      json_schema: { schema: { type: 'object', properties: { result: {} }, required: ['result'] } },
    },
  })
})

test.each(roots)('%s comes from a server that turns out to know no forms', async (_, output, value) => {
  await using server = await startScriptedServer([refusal, finalAnswer({ result: value })])
  const result = await new Agent({ model: formal(server), output }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', stepCount: 1 })
  expect(result.output).toEqual(value)
  expect(server.requests[1]?.body.tools).toHaveLength(1)
})

test.each(roots)('%s is taken from words without an object around it', async (_, output, value) => {
  await using server = await startScriptedServer([inWords(value)])
  expect((await new Agent({ model: plain(server), output }).run('Go.')).output).toEqual(value)
})

test('its type is that of the schema, in the result and while it is written', async () => {
  await using server = await startScriptedServer([finalAnswer({ result: [box] })])
  const agent = new Agent({ model: plain(server), output: z.array(shape) })
  type Shape = { kind: 'circle'; radius: number } | { kind: 'box'; sides: number[] }
  const run = agent.stream('Go.')
  for await (const part of partialOutput(run))
    expectTypeOf(part).toEqualTypeOf<
      readonly (
        | { readonly kind?: 'circle'; readonly radius?: number }
        | { readonly kind?: 'box'; readonly sides?: readonly number[] }
      )[]
    >()
  const { output } = (await run.result).orThrow()
  expectTypeOf(output).toEqualTypeOf<Shape[]>()
  expect(output).toEqual([box])
  const word = new Agent({ model: 'm', output: z.enum(['good', 'bad']) })
  expectTypeOf<Awaited<ReturnType<typeof word.run>>['output']>().toEqualTypeOf<'good' | 'bad' | undefined>()
})

test('what is wrong goes back by its place in the object', async () => {
  const output = z.array(z.number())
  await using server = await startScriptedServer([
    finalAnswer({ result: [1, 'two'] }),
    finalAnswer({ numbers: [1, 2] }),
    { text: 'One and two.' },
    finalAnswer({ result: [1, 2] }),
  ])
  const result = await new Agent({ model: plain(server), output }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: [1, 2] })
  const told = server.requests.slice(1).map(({ body }) => body.messages.at(-1)?.content)
  expect(told[0]).toContain('result.1: ')
  expect(told[1]).toContain('result: required: put the answer here')
  expect(told[2]).toContain('not valid JSON')
})

test('sloppy arguments are read within the object too', async () => {
  await using server = await startScriptedServer([finalAnswer({ result: ['1', 2] })])
  const agent = new Agent({ model: plain(server), output: z.array(z.number()), repair: safeRepair })
  expect((await agent.run('Go.')).output).toEqual([1, 2])
})

const ask = tool({ name: 'ask', description: 'Asks a person', parameters: z.object({}) })

test('a run that is gone on with has it, its answer asked for before or after', async () => {
  for (const model of [plain, formal]) {
    const answer = model === plain ? finalAnswer({ result: ['a'] }) : inWords({ result: ['a'] })
    await using server = await startScriptedServer([{ calls: [{ name: 'ask', id: 'call_ask' }] }, answer])
    const agent = new Agent({ model: model(server), tools: [ask], output: z.array(z.string()) })
    const { state } = await agent.run('Go.')
    const decisions = { call_ask: { type: 'result', value: 'a' } } as const
    expect((await agent.run(throughJson(state), { decisions })).output).toEqual(['a'])
  }
  await using server = await startScriptedServer([
    { calls: [{ name: 'ask' }, { name: 'final_answer', arguments: { result: ['b'] } }] },
  ])
  const agent = new Agent({ model: plain(server), tools: [ask], output: z.array(z.string()) })
  const { state, pending } = await agent.run('Go.')
  const decisions = { [pending?.[0]?.callId ?? '']: { type: 'result', value: 'a' } } as const
  expect(await agent.run(throughJson(state), { decisions })).toMatchObject({
    stopReason: 'done',
    output: ['b'],
  })
})

test('of several answers at once the first that has the form counts', async () => {
  const calls = [{ result: 'one' }, { result: [1] }, { result: [2] }].flatMap((given) => [
    { name: 'final_answer', arguments: given },
  ])
  await using server = await startScriptedServer([{ calls }])
  const result = await new Agent({ model: plain(server), output: z.array(z.number()) }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: [1], text: '[1]' })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['rejected', 'ok', 'ok'])
})

test('two agents that hand over to the same one each get their own form', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'transfer_to_other' }] },
    finalAnswer({ result: [1] }),
    { calls: [{ name: 'transfer_to_other' }] },
    finalAnswer({ n: 1 }),
  ])
  const model = plain(server)
  const tools = [handoff(new Agent({ name: 'other', model }))]
  const numbers = new Agent({ name: 'a', model, tools, output: z.array(z.number()) })
  const one = new Agent({ name: 'b', model, tools, output: z.object({ n: z.number() }) })
  expect((await numbers.run('Go.')).output).toEqual([1])
  expect((await one.run('Go.')).output).toEqual({ n: 1 })
})
