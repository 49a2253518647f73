import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool, type Middleware, type RunView, tool } from '../src/index.js'

interface Db {
  readonly rows: readonly string[]
}

const note = tool({
  name: 'note',
  description: 'Notes a word',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => ({ kept: word.length }),
})
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({}),
  execute: () => 'seen',
})
const needsDb: Middleware<{ readonly db: Db }> = {
  name: 'needs-db',
  beforeModel: (_call, { context }) => ({ instructions: context.db.rows.join() }),
}

test('a middleware may ask for a context, which run then demands', () => {
  const never = () => {
    const agent = new Agent({ model: 'm', middleware: [needsDb] })
    // @ts-expect-error the context is missing
    agent.run('Go.')
    // @ts-expect-error the context has no db
    agent.run('Go.', { context: {} })
    return agent.run('Go.', { context: { db: { rows: [] } } })
  }
  expectTypeOf(never).toBeFunction()
})

test('contexts of tools and of several middlewares are demanded together', () => {
  const needsUser: Middleware<{ readonly user: string }> = { name: 'needs-user' }
  const never = () => {
    const agent = new Agent({ model: 'm', tools: [look], middleware: [needsDb, needsUser] })
    // @ts-expect-error the user is missing
    agent.run('Go.', { context: { db: { rows: [] } } })
    return agent.run('Go.', { context: { db: { rows: [] }, user: 'Ada' } })
  }
  expectTypeOf(never).toBeFunction()
})

test('tools that a middleware adds are in result.toolCalls, with their types', () => {
  const memory = { name: 'memory', tools: [note] } as const satisfies Middleware
  const never = async () => {
    const { toolCalls } = await new Agent({ model: 'm', tools: [look], middleware: [memory] }).run('Go.')
    for (const call of toolCalls) {
      if (call.dynamic || call.status !== 'ok') continue
      if (call.name === 'note') expectTypeOf(call.result).toEqualTypeOf<{ kept: number }>()
      else expectTypeOf(call.name).toEqualTypeOf<'look'>()
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('so are tools that depend on the run', () => {
  const memory = { name: 'memory', tools: (_run: RunView) => [note] } satisfies Middleware
  const never = async () => {
    const { toolCalls } = await new Agent({ model: 'm', middleware: [memory] }).run('Go.')
    for (const call of toolCalls)
      if (!call.dynamic && call.status === 'ok') expectTypeOf(call.result).toEqualTypeOf<{ kept: number }>()
  }
  expectTypeOf(never).toBeFunction()
})

test('an agent without middlewares keeps the types of its tools', () => {
  const never = async () => (await new Agent({ model: 'm', tools: [look] }).run('Go.')).toolCalls
  type Calls = Awaited<ReturnType<typeof never>>[number]
  expectTypeOf<Extract<Calls, { dynamic?: false }>['name']>().toEqualTypeOf<'look'>()
})

test('hooks between steps are synchronous', () => {
  const bad = () => {
    // @ts-expect-error a promise is not a list of changes
    const afterStep: Middleware = { name: 'a', afterStep: async () => undefined }
    // @ts-expect-error a promise is not a reason to stop
    const shouldStop: Middleware = { name: 'a', shouldStop: async () => undefined }
    // @ts-expect-error a promise is not a request
    const beforeStop: Middleware = { name: 'a', beforeStop: async () => undefined }
    // @ts-expect-error a promise is not a change
    const afterCall: Middleware = { name: 'a', afterCall: async () => undefined }
    return [afterStep, shouldStop, beforeStop, afterCall]
  }
  expectTypeOf(bad).toBeFunction()
})

test('a tool of an agent has typed arguments, and the output of the agent as its result', () => {
  const clerk = new Agent({ name: 'clerk', model: 'm', output: z.object({ id: z.number() }) })
  const parameters = z.object({ city: z.string(), days: z.number().default(1) })
  const ask = agentTool(clerk, { name: 'book', parameters, toInput: ({ city, days }) => `${city} ${days}` })
  expectTypeOf<Parameters<typeof ask.call>[0]>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
  expectTypeOf<Awaited<ReturnType<typeof ask.call>>>().toEqualTypeOf<{ id: number }>()
  const text = agentTool(new Agent({ name: 'poet', model: 'm' }), { name: 'poem' })
  expectTypeOf<Awaited<ReturnType<typeof text.call>>>().toEqualTypeOf<string>()
  const rated = agentTool(clerk, { name: 'rate', output: z.object({ stars: z.number() }) })
  expectTypeOf<Awaited<ReturnType<typeof rated.call>>>().toEqualTypeOf<{ stars: number }>()
})
