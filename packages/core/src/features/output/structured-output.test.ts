import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel, fallback, partialOutput, tool } from '../../index.js'

const schema = z.object({ city: z.string(), degrees: z.number() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 4 }),
})
const answer = (given: unknown) => ({ calls: [{ name: 'final_answer', arguments: given }] })
const oslo = { city: 'Oslo', degrees: 4 }

/** A model whose server supports response formats. */
const formal = ({ baseURL, apiKey }: { baseURL: string; apiKey: string }) =>
  chatModel('m', { baseURL, apiKey, dialect: 'openai' })

test('the answer comes by a tool, has its type, and is the run’s text as well', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    answer(oslo),
  ])
  const agent = new Agent({ model: chatModel('m', server), tools: [weather], output: schema })
  const result = await agent.run('Weather in Oslo?')
  expect(result).toMatchObject({ stopReason: 'done', output: oslo, text: JSON.stringify(oslo) })
  if (result.stopReason === 'done') expectTypeOf(result.output).toEqualTypeOf<typeof oslo>()
  expectTypeOf(result.orThrow().output).toEqualTypeOf<typeof oslo>()
  expect(server.requests[0]?.body.tools).toHaveLength(2)
  expect(server.requests[0]?.body).not.toHaveProperty('response_format')
})

test('words that are the form are taken, in a code fence or not', async () => {
  for (const text of [JSON.stringify(oslo), `\`\`\`json\n${JSON.stringify(oslo)}\n\`\`\``]) {
    await using server = await startScriptedServer([{ text }])
    const result = await new Agent({ model: chatModel('m', server), output: schema }).run('Weather?')
    expect(result).toMatchObject({ stopReason: 'done', output: oslo, stepCount: 1 })
  }
})

test('an answer of another form goes back with what is wrong, and the tool is forced', async () => {
  await using server = await startScriptedServer([
    { text: 'Four degrees.' },
    answer({ city: 'Oslo' }),
    answer(oslo),
  ])
  const result = await new Agent({ model: chatModel('m', server), output: schema }).run('Weather?')
  expect(result).toMatchObject({ stopReason: 'done', output: oslo })
  const [, second, third] = server.requests
  expect(second?.body.messages.at(-1)).toEqual({
    role: 'user',
    content: 'Your reply does not match the required schema: not valid JSON. Try again.',
  })
  expect(second?.body.tool_choice).toEqual({ type: 'function', function: { name: 'final_answer' } })
  expect(third?.body.messages.at(-1)?.content).toContain('degrees')
})

test('three answers of another form end the run as stuck, without an output', async () => {
  const words = { text: 'Four degrees.' }
  await using server = await startScriptedServer([words, words, words, { text: 'Sorry.' }])
  const result = await new Agent({ model: chatModel('m', server), output: schema }).run('Weather?')
  expect(result).toMatchObject({ stopReason: 'stuck', text: 'Sorry.' })
  expect(result.output).toBeUndefined()
  expect(() => result.orThrow()).toThrow('stuck')
})

test('a server that can be is asked for the form, and gets no tool for it', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    { text: JSON.stringify(oslo) },
  ])
  const result = await new Agent({ model: formal(server), tools: [weather], output: schema }).run('Weather?')
  expect(result.output).toEqual(oslo)
  for (const { body } of server.requests) {
    expect(body.tools).toHaveLength(1)
    expect(body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'final_answer', schema: { type: 'object', required: ['city', 'degrees'] } },
    })
  }
})

test('one that says it cannot gets the tool, in this request and the later ones', async () => {
  const refusal = { error: { message: 'response_format of type json_schema is not supported' } }
  await using server = await startScriptedServer([
    { status: 400, body: refusal },
    { calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    answer(oslo),
  ])
  const result = await new Agent({ model: formal(server), tools: [weather], output: schema }).run('Weather?')
  expect(result).toMatchObject({ stopReason: 'done', output: oslo, stepCount: 2 })
  const [first, ...others] = server.requests
  expect(first?.body).toHaveProperty('response_format')
  for (const { body } of others) {
    expect(body).not.toHaveProperty('response_format')
    expect(body.tools).toHaveLength(2)
  }
})

test('a form that JSON cannot express is refused at once', () => {
  for (const output of [z.array(z.date()), z.map(z.string(), z.string())])
    expect(() => new Agent({ model: 'm', output })).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
})

test('without a form there is no output, in the result or its type', async () => {
  await using server = await startScriptedServer([{ text: '{"a":1}' }])
  const result = await new Agent({ model: chatModel('m', server) }).run('Go.')
  expect(result).not.toHaveProperty('output')
  expectTypeOf(result.orThrow().output).toEqualTypeOf<undefined>()
})

test('while it is written, what is there of it can be read, typed', async () => {
  const long = { city: 'A city with a name that comes in many pieces', degrees: 4 }
  await using server = await startScriptedServer([answer(long)])
  const run = new Agent({ model: chatModel('m', server), output: schema }).stream('Weather?')
  const seen: string[] = []
  for await (const part of partialOutput(run)) {
    expectTypeOf(part).toEqualTypeOf<{ readonly city?: string; readonly degrees?: number }>()
    if (part.city !== undefined) seen.push(part.city)
  }
  expect(seen.length).toBeGreaterThan(5)
  for (const [at, city] of seen.entries())
    expect(long.city.startsWith(city) && city.length >= (seen[at - 1] ?? '').length).toBe(true)
  expect(seen.at(-1)).toBe(long.city)
  expect((await run.result).orThrow().output).toEqual(long)
})

test('only api.openai.com is known to hold its answers to a form', () => {
  const of = (baseURL: string) => chatModel('m', { baseURL }).structuredOutput
  expect(of('https://api.openai.com/v1')).toBe(true)
  expect(of('http://127.0.0.1:4100')).toBe(false)
  const [one, other] = [chatModel('a', { dialect: 'openai' }), chatModel('b', { dialect: 'plain' })]
  expect(fallback([one, other]).structuredOutput).toBe(false)
  expect(fallback([one, one]).structuredOutput).toBe(true)
})
