import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { type CallOptions, tool } from '../index.js'
import type { AnyTool, ToolContext } from './tool.js'

const parameters = z.object({ id: z.string() })
const plain = tool({ name: 'plain', description: 'D', parameters, execute: ({ id }) => id })
const asking = tool({
  name: 'asking',
  description: 'D',
  parameters,
  execute: ({ id }, { context }: ToolContext<{ user: string }>) => `${context.user}: ${id}`,
})

test('a direct call takes a context only if the function has one', () => {
  const calls = () => {
    plain.call({ id: '1' })
    asking.call({ id: '1' }, { context: { user: 'Ada' } })
    // @ts-expect-error the function needs a context
    asking.call({ id: '1' })
    // @ts-expect-error also with other options
    asking.call({ id: '1' }, { signal: AbortSignal.abort() })
    // @ts-expect-error the user is missing
    asking.call({ id: '1' }, { context: {} })
  }
  expectTypeOf(calls).returns.toBeVoid()
  expectTypeOf<CallOptions['context']>().toEqualTypeOf<unknown>()
})

test('calls a tool without knowing its types', () => {
  expectTypeOf(asking).toExtend<AnyTool>()
  const call = (any: AnyTool) => any.call({})
  expectTypeOf(call).returns.resolves.toEqualTypeOf<unknown>()
})
