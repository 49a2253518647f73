import { Agent, type AnyTool, type RunOptions, type ToolContext, tool } from '@capstan/core'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { deferred } from '../../src/search.js'
import { calling } from './tools.js'

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 3 }),
})
const stock = tool({
  name: 'get_stock',
  description: 'Stock',
  parameters: z.object({ article: z.string() }),
  execute: ({ article }, { context }: ToolContext<{ db: Map<string, number> }>) =>
    context.db.get(article) ?? 0,
})
const mail = tool({
  name: 'send_mail',
  description: 'Sends',
  parameters: z.object({ to: z.string() }),
  execute: ({ to }, { context }: ToolContext<{ user: string }>) => `${context.user} to ${to}`,
})

test('calls of deferred tools have their names, arguments and results', async () => {
  const agent = new Agent({
    model: calling([['get_weather', { city: 'Oslo' }]]),
    tools: [deferred([weather, stock])],
  })
  const { toolCalls } = await agent.run('Go.', { context: { db: new Map() } })
  for (const call of toolCalls) {
    if (call.dynamic) continue
    expectTypeOf(call.name).toEqualTypeOf<'get_weather' | 'get_stock'>()
    if (call.name === 'get_weather' && call.status === 'ok') {
      expectTypeOf(call.arguments).toEqualTypeOf<{ city: string }>()
      expectTypeOf(call.result).toEqualTypeOf<{ city: string; degrees: number }>()
    }
    if (call.name === 'get_stock' && call.status === 'ok') expectTypeOf(call.result).toEqualTypeOf<number>()
  }
})

test('runs need the context of all deferred tools', () => {
  const agent = new Agent({ model: 'm', tools: [weather, deferred([stock, mail])] })
  type Options = Parameters<typeof agent.run>[1]
  expectTypeOf<NonNullable<Options>['context']>().toEqualTypeOf<
    { db: Map<string, number> } & { user: string }
  >()
  // @ts-expect-error the context is missing
  const _missing = () => agent.run('Go.')
  // @ts-expect-error a part of it is missing
  const _partial = () => agent.run('Go.', { context: { user: 'Ann' } })
})

test('tools that need none, or are known at run time only, need no context', () => {
  const known = new Agent({ model: 'm', tools: [deferred([weather])] })
  const atRunTime = new Agent({ model: 'm', tools: [deferred([weather, mail] as readonly AnyTool[])] })
  expectTypeOf(known.run).parameter(1).toExtend<RunOptions | undefined>()
  expectTypeOf(atRunTime.run).parameter(1).toExtend<RunOptions | undefined>()
})
