import { Agent, type ToolContext, tool } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { durable } from '../../src/dbos.js'

const model = scriptedModel([])
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.string() }),
  execute: ({ at }) => ({ seen: at }),
})
const ask = tool({
  name: 'ask',
  description: 'Asks',
  parameters: z.object({}),
  execute: (_args, { context }: ToolContext<{ user: string }>) => context.user,
})

test('results have the types of the agent', () => {
  const agent = new Agent({ model, tools: [look], output: z.object({ n: z.number() }) })
  const runs = durable(agent)
  type Result = Awaited<ReturnType<typeof runs.run>>
  expectTypeOf<Extract<Result, { stopReason: 'done' }>['output']>().toEqualTypeOf<{ n: number }>()
  type Call = Extract<Result['toolCalls'][number], { dynamic?: false; status: 'ok' }>
  expectTypeOf<Call['result']>().toEqualTypeOf<{ seen: string }>()
})

test('a context function is required exactly when a tool needs a context', () => {
  const asking = new Agent({ model, tools: [ask] })
  durable(asking, { context: (runId) => ({ user: runId }) })
  durable(asking, { context: async (_runId, data) => ({ user: String(data) }) })
  // @ts-expect-error: the context is missing
  durable(asking)
  // @ts-expect-error: the context has the wrong type
  durable(asking, { context: () => ({ name: 'Ada' }) })
  durable(new Agent({ model, tools: [look] }), { queue: 'q' })
})
