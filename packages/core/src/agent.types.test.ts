import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { scriptedModel } from '../test/scripted-model.js'
import {
  Agent,
  type AnyAgent,
  type AnyTool,
  jsonSchema,
  readOnly,
  type ToolContext,
  tool,
  verdict,
} from './index.js'
import { zod3 } from './zod3.js'

interface Db {
  find(id: string): string
}

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({
    city: z.string(),
    unit: z.enum(['c', 'f']).default('c'),
    at: z.coerce.date().optional(),
  }),
  execute: async ({ city, unit, at }) => {
    expectTypeOf(unit).toEqualTypeOf<'c' | 'f'>()
    expectTypeOf(at).toEqualTypeOf<Date | undefined>()
    return { city, when: new Date(), degrees: 3 }
  },
})

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up',
  parameters: z.object({ id: z.string() }),
  execute: ({ id }, ctx: ToolContext<{ db: Db }>) => ctx.context.db.find(id),
})

const mail = tool({
  name: 'send_mail',
  description: 'Sends',
  parameters: z.object({ to: z.string() }),
  async *execute({ to }, { context }: ToolContext<{ user: { email: string } }>) {
    yield 'sending'
    return `${context.user.email} to ${to}`
  },
})

const dynamic: AnyTool = weather

test('arguments and results follow from the schema and the function', () => {
  expectTypeOf(weather.call)
    .parameter(0)
    .toEqualTypeOf<{ city: string; unit?: 'c' | 'f' | undefined; at?: unknown }>()
  expectTypeOf(weather.call).returns.resolves.toEqualTypeOf<{ city: string; when: Date; degrees: number }>()
  expectTypeOf(mail.call).returns.resolves.toEqualTypeOf<string>()
})

test('zod 3, zod mini and plain JSON Schema are inferred as well', () => {
  const three = tool({
    name: 'three',
    description: '3',
    parameters: zod3(z3.object({ n: z3.number().default(1) })),
    execute: ({ n }) => n,
  })
  expectTypeOf(three.call).parameter(0).toEqualTypeOf<{ n?: number | undefined }>()
  const small = tool({
    name: 'small',
    description: 'mini',
    parameters: mini.object({ n: mini.number() }),
    execute: ({ n }) => n,
  })
  expectTypeOf(small.call).returns.resolves.toEqualTypeOf<number>()
  const plain = tool({
    name: 'plain',
    description: 'json',
    parameters: jsonSchema({ type: 'object' }),
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
    },
  })
  expectTypeOf(plain.call).returns.resolves.toEqualTypeOf<void>()
})

test('the context of a run is what all its tools ask for together', () => {
  const agent = new Agent({ model: 'm', tools: [weather, lookUp, mail] })
  type Asked = NonNullable<Parameters<typeof agent.run>[1]>['context']
  expectTypeOf<Asked>().toEqualTypeOf<{ db: Db } & { user: { email: string } }>()
  const db: Db = { find: () => '' }
  const half = () => {
    // @ts-expect-error a tool asks for a context
    agent.run('Go.')
    // @ts-expect-error the user is missing
    agent.run('Go.', { context: { db } })
    // @ts-expect-error streams ask for it as well
    agent.stream('Go.')
    return agent.run('Go.', { context: { db, user: { email: '' } } })
  }
  expectTypeOf(half).returns.toExtend<Promise<unknown>>()
})

test('an agent whose tools ask for nothing runs without a context', () => {
  const agent = new Agent({ model: 'm', tools: [weather] })
  expectTypeOf(agent.run).toBeCallableWith('Go.')
  expectTypeOf(new Agent({ model: 'm' }).run).toBeCallableWith('Go.')
})

test('instructions and prepareStep see the same context', () => {
  new Agent({
    model: 'm',
    tools: [lookUp],
    instructions: (context) => context.db.find('x'),
    prepareStep: ({ context }) => {
      expectTypeOf(context).toEqualTypeOf<{ db: Db }>()
    },
  })
})

test('results of calls are typed by tool name, a dynamic tool among them', () => {
  const read = async () => {
    const agent = new Agent({ model: 'm', tools: [weather, lookUp, dynamic] })
    const { toolCalls } = await agent.run('Go.', { context: { db: { find: () => '' } } })
    for (const call of toolCalls) {
      if (call.dynamic) {
        expectTypeOf(call.name).toEqualTypeOf<string>()
        expectTypeOf(call.arguments).toEqualTypeOf<unknown>()
      } else if (call.name === 'get_weather' && call.status === 'ok') {
        // What crosses a step is JSON: the date has become text.
        expectTypeOf(call.result).toEqualTypeOf<{ city: string; when: string; degrees: number }>()
        expectTypeOf(call.arguments.city).toEqualTypeOf<string>()
      } else if (call.name === 'look_up') {
        expectTypeOf(call.result).toEqualTypeOf<string | undefined>()
      } else {
        expectTypeOf(call.name).toEqualTypeOf<'get_weather'>()
      }
    }
    const found = toolCalls.find((call) => !call.dynamic && call.name === 'look_up')
    expectTypeOf(found?.result).toEqualTypeOf<string | undefined>()
  }
  expectTypeOf(read).returns.resolves.toBeVoid()
})

test('any agent fits the plain interface that other packages take', () => {
  expectTypeOf(new Agent({ model: 'm', tools: [lookUp, mail] })).toExtend<AnyAgent>()
  expectTypeOf(new Agent({ model: 'm' })).toExtend<AnyAgent>()
  expectTypeOf(weather).toExtend<AnyTool>()
  expectTypeOf(lookUp).toExtend<AnyTool>()
})

test('a schema that is none, and arguments of the wrong type, are type errors', () => {
  const wrong = () => {
    // @ts-expect-error parameters must be a schema
    tool({ name: 'x', description: 'x', parameters: { city: 'string' }, execute: () => 1 })
    // @ts-expect-error city is a string
    weather.call({ city: 3 })
  }
  expectTypeOf(wrong).returns.toBeVoid()
})

test('effects and needsApproval are typed by the schema, like the function', () => {
  const move = tool({
    name: 'move',
    description: 'Moves',
    parameters: z.object({ path: z.string(), to: z.string().default('/') }),
    effects: ({ path, to }) => {
      expectTypeOf(to).toEqualTypeOf<string>()
      return path
    },
    needsApproval: ({ to }, { usage }) => {
      expectTypeOf(usage.images).toEqualTypeOf<number>()
      return to === '/'
    },
    execute: ({ to }) => ({ to }),
  })
  expectTypeOf(move.call).returns.resolves.toEqualTypeOf<{ to: string }>()
})

test('a tool without a function has typed arguments, and a result that only its caller knows', async () => {
  const human = tool({
    name: 'ask_human',
    description: 'Asks',
    parameters: z.object({ question: z.string() }),
  })
  const never = async () => {
    const agent = new Agent({ model: 'm', tools: [human] })
    for (const call of (await agent.run('Go.')).toolCalls) {
      if (call.dynamic || call.status !== 'ok') continue
      expectTypeOf(call.arguments).toEqualTypeOf<{ question: string }>()
      expectTypeOf(call.result).toEqualTypeOf<unknown>()
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('a policy sees the context that the tools ask for', () => {
  const agent = new Agent({
    model: 'm',
    tools: [lookUp, mail],
    policy: [
      readOnly(),
      (_call, { context }) => {
        expectTypeOf(context).toEqualTypeOf<{ db: Db } & { user: { email: string } }>()
        return verdict.allow
      },
    ],
  })
  expectTypeOf(agent).toExtend<AnyAgent>()
})

test('what no limit, decision or verdict is, is a type error', () => {
  const never = (agent: Agent) => {
    // @ts-expect-error there is no such limit
    agent.run('Go.', { limits: { stairs: 3 } })
    // @ts-expect-error a denial says why
    agent.run('Go.', { decisions: { a: { type: 'deny' } } })
    // @ts-expect-error only true and false are no verdicts
    return new Agent({ model: 'm', policy: () => true })
  }
  expectTypeOf(never).toBeFunction()
})

test('a tool that is written within its agent keeps the type of its result', async () => {
  const parameters = z.object({ a: z.number(), b: z.number() })
  const agent = new Agent({
    model: scriptedModel([[['add', { a: 1, b: 2 }]], '3']),
    tools: [
      tool({ name: 'add', description: 'Adds', parameters, execute: ({ a, b }) => ({ sum: a + b }) }),
      tool({ name: 'subtract', description: 'Subtracts', parameters, execute: ({ a, b }) => a - b }),
    ],
  })
  const [call] = (await agent.run('1 + 2?')).toolCalls
  if (!call || call.dynamic || call.name !== 'add' || call.status !== 'ok') throw new Error('no sum')
  expectTypeOf(call.result).toEqualTypeOf<{ sum: number }>()
})
