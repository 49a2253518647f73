import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { Agent, type AnyTool, partialCalls, tool } from '../../index.js'

const draw = tool({
  name: 'draw',
  description: 'Draws',
  parameters: z.object({ prompt: z.string(), size: z.object({ width: z.int() }).optional() }),
  execute: () => 1,
})
const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 1 })
const agent = new Agent({ model: 'm', tools: [draw, look] })

test('calls of a tool have its arguments, of which any part may be missing', () => {
  const never = async () => {
    for await (const { callId, partial } of partialCalls(agent.stream('Go.'), 'draw')) {
      expectTypeOf(callId).toEqualTypeOf<string>()
      expectTypeOf(partial.prompt).toEqualTypeOf<string | undefined>()
      expectTypeOf(partial.size?.width).toEqualTypeOf<number | undefined>()
      // @ts-expect-error: the tool has no such argument
      partial.title
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('the name is that of a tool of the agent', () => {
  // @ts-expect-error: the agent has no such tool
  const never = () => partialCalls(agent.stream('Go.'), 'drew')
  expectTypeOf(never).toBeFunction()
})

test('tools that are known only at run time have any name, and unknown arguments', () => {
  const tools: readonly AnyTool[] = [draw]
  const never = async () => {
    const run = new Agent({ model: 'm', tools }).stream('Go.')
    for await (const { partial } of partialCalls(run, 'draw')) expectTypeOf(partial).toBeUnknown()
  }
  expectTypeOf(never).toBeFunction()
})
