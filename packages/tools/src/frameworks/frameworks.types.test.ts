import { Agent, type Artifact, type ToolContext, tool } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import * as ai7 from 'ai7'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { fromAiSdkTools, fromLangchainTools, fromMastraTools, toAiSdkTools } from '../frameworks.js'

const model = scriptedModel([])
const inputSchema = z.object({ city: z.string() })

test('tools of the AI SDK keep names, arguments and results', async () => {
  const agent = new Agent({
    model,
    tools: fromAiSdkTools({
      weather: ai6.tool({ inputSchema, execute: async ({ city }) => ({ city, degrees: 3 }) }),
      count: ai7.tool({
        inputSchema: z.object({ to: z.number() }),
        async *execute({ to }) {
          yield to
        },
      }),
      shoot: ai7.tool({ inputSchema, execute: () => ({ file: new Uint8Array(), at: 'now' }) }),
      ask: ai7.tool({ inputSchema, outputSchema: z.object({ answer: z.string() }) }),
    }),
  })
  const run = () => agent.run('Go')
  type Calls = Awaited<ReturnType<typeof run>>['toolCalls'][number]
  type ResultOf<Name> = Extract<Calls, { name: Name; status: 'ok' }>['result']
  expectTypeOf<ResultOf<'weather'>>().toEqualTypeOf<{ city: string; degrees: number }>()
  expectTypeOf<ResultOf<'count'>>().toEqualTypeOf<number>()
  expectTypeOf<ResultOf<'shoot'>['file']>().toHaveProperty('sha256')
  expectTypeOf<ResultOf<'ask'>>().toEqualTypeOf<{ answer: string }>()
})

test('arguments of direct calls are typed', () => {
  const tools = fromAiSdkTools({ weather: ai7.tool({ inputSchema, execute: ({ city }) => city }) })
  type Weather = (typeof tools)[number]
  expectTypeOf<Weather['name']>().toEqualTypeOf<'weather'>()
  expectTypeOf<Weather['call']>().parameter(0).toEqualTypeOf<{ city: string }>()
  expectTypeOf<Weather['call']>().returns.resolves.toEqualTypeOf<string>()
})

test('a contextSchema of ai 7 is the context that a run needs', () => {
  const agent = new Agent({
    model,
    tools: fromAiSdkTools({
      look: ai7.tool({
        inputSchema,
        contextSchema: z.object({ key: z.string() }),
        execute: (_, { context }) => context.key,
      }),
    }),
  })
  expectTypeOf(agent.run).toBeCallableWith('Go', { context: { key: 'k' } })
  // @ts-expect-error: the context lacks its key.
  void (() => agent.run('Go', { context: {} }))
})

test('tools of LangChain and Mastra are typed by their shapes', async () => {
  const multiply = {
    name: 'multiply' as const,
    description: 'Multiplies',
    schema: z.object({ a: z.number(), b: z.number() }),
    func: async ({ a, b }: { a: number; b: number }) => a * b,
    invoke: async (_input: unknown) => 6,
  }
  const [ofLangchain] = fromLangchainTools([multiply])
  expectTypeOf(ofLangchain.name).toEqualTypeOf<'multiply'>()
  expectTypeOf(ofLangchain.call).parameter(0).toEqualTypeOf<{ a: number; b: number }>()
  expectTypeOf(ofLangchain.call).returns.resolves.toEqualTypeOf<number>()

  const add = {
    id: 'add',
    description: 'Adds',
    inputSchema: z.object({ a: z.number() }),
    execute: async ({ a }: { a: number }) => ({ sum: a, picture: new Uint8Array() }),
  }
  const ofMastra = fromMastraTools({ add_one: add })
  type Add = (typeof ofMastra)[number]
  expectTypeOf<Add['name']>().toEqualTypeOf<'add_one'>()
  expectTypeOf<Add['call']>().parameter(0).toEqualTypeOf<{ a: number }>()
  expectTypeOf<Add['call']>().returns.resolves.toEqualTypeOf<{ sum: number; picture: Artifact }>()
})

test('tools of ours are typed in both versions of the AI SDK', async () => {
  const weather = tool({
    name: 'weather',
    description: 'Weather',
    parameters: z.object({ city: z.string(), day: z.coerce.date().optional() }),
    execute: ({ city }, { context }: ToolContext<{ unit: string }>) => ({
      city,
      unit: context.unit,
      at: new Date(),
    }),
  })
  const tools = toAiSdkTools([weather], { context: { unit: 'c' } })
  // @ts-expect-error: the context of the tools has a unit.
  void (() => toAiSdkTools([weather], { context: { size: 1 } }))
  const in6 = () => ai6.generateText({ model: 'any', tools, prompt: 'Go' })
  const in7 = () => ai7.generateText({ model: 'any', tools, prompt: 'Go' })
  type Of<Run extends () => Promise<unknown>> = Awaited<ReturnType<Run>>
  type Result6 = Extract<Of<typeof in6>['toolResults'][number], { toolName: 'weather' }>
  type Result7 = Extract<Of<typeof in7>['toolResults'][number], { toolName: 'weather' }>
  type Output = { city: string; unit: string; at: string }
  expectTypeOf<Result6['output']>().toEqualTypeOf<Output>()
  expectTypeOf<Result7['output']>().toEqualTypeOf<Output>()
  expectTypeOf<Result7['input']>().toEqualTypeOf<{ city: string; day?: unknown }>()
  const agent = () => new ai7.ToolLoopAgent({ model: 'any', tools })
  expectTypeOf(agent).toBeFunction()
})
