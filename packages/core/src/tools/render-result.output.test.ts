import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent } from '../index.js'
import { type ToolContext, tool } from './tool.js'

const city = z.object({ city: z.string() })
const said = (messages: readonly { readonly role: string; readonly content: unknown }[]) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))

const rows = tool({
  name: 'rows',
  description: 'All rows',
  parameters: z.object({}),
  execute: () => ({ rows: [1, 2, 3], file: 'a.csv' }),
  toModel: ({ rows, file }) => `${rows.length} rows in ${file}`,
})

test('the model reads what toModel returns, the program has the whole result', async () => {
  const agent = new Agent({ model: scriptedModel([[['rows']], 'ok']), tools: [rows] })
  const { messages, toolCalls } = await agent.run('go')
  expect(said(messages)).toEqual(['3 rows in a.csv'])
  expect(toolCalls[0]).toMatchObject({ status: 'ok', result: { rows: [1, 2, 3], file: 'a.csv' } })
  expect(await rows.call({})).toEqual({ rows: [1, 2, 3], file: 'a.csv' })
})

test('a value of toModel is JSON, and artifacts of both are in the result', async () => {
  const make = tool({
    name: 'make',
    description: 'D',
    parameters: z.object({}),
    async execute(_, { artifacts }: ToolContext) {
      const put = (text: string) =>
        artifacts.put(new TextEncoder().encode(text), { kind: 'text', mediaType: 'text/plain' })
      return { whole: await put('whole'), part: await put('part') }
    },
    toModel: ({ part }) => ({ part }),
  })
  const agent = new Agent({ model: scriptedModel([[['make']], 'ok']), tools: [make] })
  const { messages, artifacts } = await agent.run('go')
  const [part] = said(messages).map((text) => JSON.parse(String(text)).part)
  expect(part).toMatchObject({ mediaType: 'text/plain' })
  expect(artifacts).toHaveLength(2)
  expect(artifacts.map(({ id }) => id)).toContain(part.artifact)
})

test('a toModel that throws is an error of the call', async () => {
  const failing = tool({
    name: 'failing',
    description: 'D',
    parameters: z.object({}),
    execute: () => 1,
    toModel: () => {
      throw new Error('no words')
    },
  })
  const agent = new Agent({ model: scriptedModel([[['failing']], 'ok']), tools: [failing] })
  const { messages, toolCalls } = await agent.run('go')
  expect(said(messages)).toEqual(['Error: no words'])
  expect(toolCalls[0]?.status).toBe('error')
})

const weather = (value: unknown) =>
  tool({
    name: 'weather',
    description: 'D',
    parameters: city,
    output: z.object({ degrees: z.number().default(0) }),
    execute: () => value as { degrees?: number },
  })

test('a result has the form of output, and one of another form is an error of the call', async () => {
  const run = async (value: unknown) => {
    const model = scriptedModel([[['weather', { city: 'Oslo' }]], 'ok'])
    return (await new Agent({ model, tools: [weather(value)] }).run('go')).toolCalls[0]
  }
  expect(await run({})).toMatchObject({ status: 'ok', result: { degrees: 0 } })
  expect(await run({ degrees: 7, extra: 1 })).toMatchObject({ status: 'ok', result: { degrees: 7 } })
  expect(await run({ degrees: 'warm' })).toMatchObject({
    status: 'error',
    content: expect.stringContaining(
      '"weather" ran, but its result does not match its output schema: degrees: ',
    ),
  })
  await expect(weather({ degrees: 'warm' }).call({ city: 'Oslo' })).rejects.toMatchObject({
    code: 'invalid_tool',
  })
})

test('a generator yields progress, and its return value is checked', async () => {
  const slow = tool({
    name: 'slow',
    description: 'D',
    parameters: city,
    output: z.object({ city: z.string() }),
    async *execute({ city }) {
      yield 'half'
      return { city }
    },
  })
  const agent = new Agent({ model: scriptedModel([[['slow', { city: 'Oslo' }]], 'ok']), tools: [slow] })
  const run = agent.stream('go')
  const progress: unknown[] = []
  run.on('tool-progress', ({ value }) => progress.push(value))
  expect((await run.result).toolCalls[0]).toMatchObject({ result: { city: 'Oslo' } })
  expect(progress).toEqual(['half'])
})

test('a result that the caller gives is checked and rendered in the same way', async () => {
  const asked = tool({
    name: 'asked',
    description: 'D',
    parameters: z.object({}),
    output: z.object({ age: z.number() }),
    toModel: ({ age }) => `${age} years`,
  })
  const agent = new Agent({ model: scriptedModel([[['asked', {}, 'c1']], 'ok']), tools: [asked] })
  const { state } = await agent.run('go')
  const decide = (value: unknown) => agent.run(state, { decisions: { c1: { type: 'result', value } } })
  await expect(decide({ age: 'old' })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('does not match its schema: age: '),
  })
  const { messages, toolCalls } = await decide({ age: 36 })
  expect(said(messages)).toEqual(['36 years'])
  expect(toolCalls[0]).toMatchObject({ result: { age: 36 } })
})

test('a description is computed from the context, and does not change the state', async () => {
  const model = scriptedModel([[['search', { city: 'Oslo' }]], 'ok', 'ok'])
  const search = tool({
    name: 'search',
    description: ({ user }: { user: string }) => `Searches the files of ${user}`,
    parameters: city,
    execute: ({ city }, { context }: ToolContext<{ user: string }>) => `${context.user} ${city}`,
  })
  const agent = new Agent({ model, tools: [search] })
  const { state } = await agent.run('go', { context: { user: 'Ada' } })
  await agent.run('go', { context: { user: 'Bob' } })
  expect(model.requests.map(({ tools }) => tools[0]?.function.description)).toEqual([
    'Searches the files of Ada',
    'Searches the files of Ada',
    'Searches the files of Bob',
  ])
  expect((await agent.prepare('go')).definitionHash).toBe(state.definitionHash)
  const empty = tool({ name: 'empty', description: () => '', parameters: city, execute: () => 1 })
  const failing = new Agent({ model: scriptedModel(['ok']), tools: [empty] })
  await expect(failing.run('go')).rejects.toMatchObject({
    code: 'invalid_tool',
    message: 'Tool "empty" has no description. Add one.',
  })
})

test('other values of these options are errors', () => {
  const make = (options: object) => () =>
    tool({ name: 'a', description: 'D', parameters: city, ...options } as never)
  expect(make({ output: {} })).toThrow('Tool "a": output is an object. Use a schema: z.object({ ... }).')
  expect(make({ toModel: 'text' })).toThrow('Tool "a": toModel is a string. Use a function.')
  expect(make({ description: 5 })).toThrow('Tool "a" has no description.')
})

test('types follow from output, execute and description', () => {
  const given = weather({})
  expectTypeOf(given.call).returns.resolves.toEqualTypeOf<{ degrees: number }>()
  expectTypeOf(rows.call).returns.resolves.toEqualTypeOf<{ rows: number[]; file: string }>()
  const about = tool({
    name: 'about',
    description: ({ user }: { user: string }) => user,
    parameters: city,
    execute: ({ city }) => city,
  })
  const agent = new Agent({ model: 'm', tools: [about] })
  const checks = () => {
    // @ts-expect-error the description needs a context
    agent.run('go')
    agent.run('go', { context: { user: 'Ada' } })
    tool({
      name: 'wrong',
      description: 'D',
      parameters: city,
      // @ts-expect-error the function returns no value of it
      output: z.object({ degrees: z.number() }),
      execute: () => ({ degrees: 'warm' }),
    })
    tool({
      name: 'client',
      description: 'D',
      parameters: city,
      output: z.object({ age: z.number() }),
      toModel: ({ age }) => age.toFixed(),
    })
  }
  expectTypeOf(checks).returns.toBeVoid()
  expectTypeOf(agent.run).returns.resolves.toHaveProperty('lastAgent').toEqualTypeOf<string>()
})
