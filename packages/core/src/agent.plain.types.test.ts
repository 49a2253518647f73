import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AnyAgent,
  type AnyTool,
  type Artifact,
  agentTool,
  handoff,
  jsonSchema,
  type Middleware,
  type Run,
  type RunResult,
  type ToolContext,
  tool,
} from './index.js'

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: ({ city }) => ({ city, when: new Date() }),
})
const lookUp = tool({
  name: 'look_up',
  description: 'Looks up',
  parameters: z.object({ id: z.string() }),
  execute: ({ id }, { context }: ToolContext<{ rows: readonly string[] }>) => context.rows.indexOf(id),
})
const needsUser: Middleware<{ readonly user: string }> = { name: 'needs-user' }
const memory = { name: 'memory', tools: [lookUp] } as const satisfies Middleware

const extra = { name: 'extra', tools: [weather] } as const satisfies Middleware

const output = z.object({ id: z.number() })
const agents = {
  bare: new Agent({ model: 'm' }),
  tooled: new Agent({ model: 'm', tools: [weather] }),
  contextual: new Agent({ model: 'm', tools: [weather, lookUp] }),
  typed: new Agent({ model: 'm', output }),
  extended: new Agent({ model: 'm', middleware: [needsUser, memory] }),
  whole: new Agent({ model: 'm', tools: [weather], output, middleware: [needsUser, memory] }),
  loose: new Agent({ model: 'm', tools: [weather as AnyTool] }),
}

test('Agent alone is the type of any agent', () => {
  class Service {
    agent: Agent = agents.bare
    constructor(readonly other: Agent) {}
  }
  const never = () => {
    const services = Object.values(agents).map((agent) => new Service(agent))
    const [service] = services
    if (!service) return []
    service.agent = agents.whole
    service.agent = new Agent({ model: 'm', tools: [weather], output, middleware: [memory] })
    return services
  }
  expectTypeOf(never).toBeFunction()
  expectTypeOf(agents.whole).toExtend<Agent>()
  expectTypeOf<readonly Agent[]>().toExtend<readonly AnyAgent[]>()
  // @ts-expect-error an object with the same fields is no agent
  const wrapper: Agent = agents.bare as AnyAgent
  expectTypeOf(wrapper).toBeObject()
})

test('a plain agent runs, and its result has everything that does not depend on its tools', () => {
  const never = async (agent: Agent) => {
    const result = await agent.run('Go.')
    expectTypeOf(result).toEqualTypeOf<RunResult>()
    expectTypeOf(result.text).toEqualTypeOf<string>()
    if (result.stopReason === 'done') expectTypeOf(result.output).toEqualTypeOf<unknown>()
    else expectTypeOf(result.output).toEqualTypeOf<undefined>()
    for (const call of result.toolCalls) {
      expectTypeOf(call.name).toEqualTypeOf<string>()
      expectTypeOf(call.result).toEqualTypeOf<unknown>()
    }
    expectTypeOf(agent.stream('Go.')).toEqualTypeOf<Run<RunResult>>()
    // @ts-expect-error there is no such option
    agent.run('Go.', { contxt: 3 })
    return agent.run('Go.', { context: { rows: [] } })
  }
  expectTypeOf(never).toBeFunction()
})

test('RunResult alone is the type of any result', () => {
  const textOf = (result: RunResult) => result.text
  const never = async (any: RunResult) => [
    textOf(await agents.bare.run('Go.')),
    textOf(await agents.tooled.run('Go.')),
    textOf(await agents.contextual.run('Go.', { context: { rows: [] } })),
    textOf(await agents.typed.run('Go.')),
    textOf((await agents.typed.run('Go.')).orThrow()),
    textOf(await agents.whole.run('Go.', { context: { user: 'Ada' } })),
    textOf(await agents.loose.stream('Go.').result),
    textOf(any),
  ]
  expectTypeOf(never).returns.resolves.toEqualTypeOf<string[]>()
})

test('AnyAgent runs with an input alone, and takes wrappers', () => {
  const never = async (agent: AnyAgent) => {
    const { text, output: value } = (await agent.run('Go.')).orThrow()
    expectTypeOf(text).toEqualTypeOf<string>()
    expectTypeOf(value).toEqualTypeOf<unknown>()
    for await (const event of agent.stream('Go.')) expectTypeOf(event.step).toEqualTypeOf<number>()
    const wrapper: AnyAgent = { ...agent, run: (input, options) => agent.run(input, options) }
    return [wrapper, ...Object.values(agents)] satisfies readonly AnyAgent[]
  }
  expectTypeOf(never).toBeFunction()
})

test('exact agents keep their types', () => {
  expectTypeOf(agents.bare).toEqualTypeOf<Agent<[], undefined, []>>()
  const never = async () => {
    // @ts-expect-error the context is missing
    agents.contextual.run('Go.')
    // @ts-expect-error the user is missing
    agents.whole.run('Go.', { context: { rows: [] } })
    const bare = await agents.bare.run('Go.')
    expectTypeOf(bare.output).toEqualTypeOf<undefined>()
    const { output: value, toolCalls } = (await agents.whole.run('Go.', { context: { user: '' } })).orThrow()
    expectTypeOf(value).toEqualTypeOf<{ id: number }>()
    for (const call of toolCalls) {
      expectTypeOf(call.artifacts).toEqualTypeOf<readonly Artifact[] | undefined>()
      expectTypeOf(call.approved).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(call.repaired).toEqualTypeOf<boolean | undefined>()
      if (!call.dynamic && call.name === 'get_weather' && call.status === 'ok')
        expectTypeOf(call.result).toEqualTypeOf<{ city: string; when: string }>()
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('a subclass of Agent has the types of its agent', () => {
  class Clerk extends Agent<readonly [typeof weather]> {
    constructor() {
      super({ model: 'm', tools: [weather] })
    }
  }
  const never = async (clerk: Clerk) => (await clerk.run('Go.')).toolCalls
  expectTypeOf<Clerk>().toExtend<Agent>()
  expectTypeOf(never).toBeFunction()
})

test('jsonSchema has the type that is named, for parameters and for an output', () => {
  const named = tool({
    name: 'named',
    description: 'Named',
    parameters: jsonSchema<{ city: string; days?: number }>({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    }),
    execute: ({ city, days }) => {
      expectTypeOf(days).toEqualTypeOf<number | undefined>()
      return city.length
    },
  })
  expectTypeOf(named.call).parameter(0).toEqualTypeOf<{ city: string; days?: number }>()
  const never = async () => {
    const agent = new Agent({ model: 'm', tools: [named], output: jsonSchema<string[]>({ type: 'array' }) })
    const { output: value, toolCalls } = (await agent.run('Go.')).orThrow()
    expectTypeOf(value).toEqualTypeOf<string[]>()
    for (const call of toolCalls)
      if (!call.dynamic && call.status === 'ok') expectTypeOf(call.arguments.city).toEqualTypeOf<string>()
    // @ts-expect-error the city is missing
    named.call({ days: 3 })
  }
  expectTypeOf(never).toBeFunction()
})

test('without a named type a JSON Schema of an object is a record, another one is unknown', () => {
  const given: Record<string, unknown> = { type: 'object' }
  const widened = { type: 'object', properties: {} }
  type ValueOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly output: infer Value }
      ? Value
      : never
    : never
  const schemas = {
    object: jsonSchema({ type: 'object' }),
    given: jsonSchema(given),
    widened: jsonSchema(widened),
    list: jsonSchema({ type: 'array', items: { type: 'string' } }),
    either: jsonSchema({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
    nullable: jsonSchema({ type: ['object', 'null'] }),
  }
  expectTypeOf<ValueOf<typeof schemas.object>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<ValueOf<typeof schemas.given>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<ValueOf<typeof schemas.widened>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<ValueOf<typeof schemas.list>>().toEqualTypeOf<unknown>()
  expectTypeOf<ValueOf<typeof schemas.either>>().toEqualTypeOf<unknown>()
  expectTypeOf<ValueOf<typeof schemas.nullable>>().toEqualTypeOf<unknown>()
})

test('a tool of an agent has the result of its output, also of an agent with middlewares', () => {
  const clerk = new Agent({ name: 'clerk', model: 'm', tools: [lookUp], output, middleware: [extra] })
  const ask = agentTool(clerk, { name: 'ask' })
  expectTypeOf<Awaited<ReturnType<typeof ask.call>>>().toEqualTypeOf<{ id: number }>()
  const plain = agentTool(clerk as Agent, { name: 'ask' })
  expectTypeOf<Awaited<ReturnType<typeof plain.call>>>().toEqualTypeOf<unknown>()
  const any = agentTool(clerk as AnyAgent, { name: 'ask' })
  expectTypeOf<Awaited<ReturnType<typeof any.call>>>().toEqualTypeOf<unknown>()
  const never = async () => {
    const lead = new Agent({ model: 'm', tools: [ask, handoff(clerk)] })
    // @ts-expect-error the clerk looks things up
    lead.run('Go.')
    const { toolCalls } = await lead.run('Go.', { context: { rows: [] } })
    for (const call of toolCalls)
      if (!call.dynamic && call.status === 'ok') expectTypeOf(call.result).toEqualTypeOf<{ id: number }>()
  }
  expectTypeOf(never).toBeFunction()
})
