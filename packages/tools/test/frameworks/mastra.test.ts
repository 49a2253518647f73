import { expect, test } from 'vitest'
import * as z from 'zod'
import { fromMastraTools } from '../../src/frameworks.js'
import { runCalls } from './run-calls.js'

const inputSchema = z.object({ at: z.coerce.date() })
const call = ['year', { at: '2026-11-30' }] as const

test('a plain object is called as Mastra 1 calls it, with arguments that it parses itself', async () => {
  const year = {
    id: 'year-tool',
    description: 'The year',
    inputSchema,
    execute: async (input: { at: Date }, { requestContext }: { requestContext: Map<string, unknown> }) => [
      inputSchema.parse(input).at.getUTCFullYear(),
      requestContext.get('user'),
    ],
  }
  const { results } = await runCalls(fromMastraTools({ year }), [call], { context: { user: 'ann' } })
  expect(results).toEqual([[2026, 'ann']])
})

/** As the class of version 0 is. */
class Tool0 {
  readonly id = 'year-tool'
  readonly description = 'The year'
  readonly inputSchema = inputSchema

  async execute({
    context,
    runtimeContext,
  }: {
    context: { at: string }
    runtimeContext: Map<string, unknown>
  }) {
    return [context.at, runtimeContext.get('user')]
  }
}

test('a tool of version 0 gets one object', async () => {
  const { results } = await runCalls(fromMastraTools({ year: new Tool0() }), [call], {
    context: { user: 'ann' },
  })
  expect(results).toEqual([['2026-11-30', 'ann']])
})

test('an error that Mastra returns is an error of the call', async () => {
  const execute = async () => ({ error: true as const, message: 'Wrong input', validationErrors: {} })
  const wrong = { id: 'wrong', description: 'Wrong', execute }
  const { toolCalls } = await runCalls(fromMastraTools({ wrong }), [['wrong']])
  expect(toolCalls).toMatchObject([{ status: 'error', content: 'Error: Wrong input' }])
})

test('requireApproval decides by the arguments', async () => {
  const pay = {
    id: 'pay',
    description: 'Pays',
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: ({ amount }: { amount: number }) => amount > 10,
    execute: async ({ amount }: { amount: number }) => amount,
  }
  const { results, pending } = await runCalls(fromMastraTools({ pay }), [
    ['pay', { amount: 1 }],
    ['pay', { amount: 11 }],
  ])
  expect([results, pending?.map(({ kind }) => kind)]).toEqual([[1], ['approval']])
})
