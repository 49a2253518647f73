import { Agent, tool } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { codeMode, type ProgramResult, saveProgram } from '../src/index.js'

const add = tool({
  name: 'add',
  description: 'Adds.',
  parameters: z.object({ a: z.number() }),
  execute: ({ a }) => a,
})

test('the results of programs have types, beside those of the tools', () => {
  const agent = new Agent({ model: scriptedModel([]), tools: [add], middleware: [codeMode()] })
  const read = async () => {
    const { toolCalls } = await agent.run('Go')
    for (const call of toolCalls) {
      if (call.dynamic || call.status !== 'ok') continue
      if (call.name === 'run_program')
        expectTypeOf(call.result.console?.[0]).toEqualTypeOf<string | undefined>()
      if (call.name === 'add') expectTypeOf(call.result).toEqualTypeOf<number>()
    }
  }
  expectTypeOf(read).returns.resolves.toBeVoid()
})

test('the parameters of a saved program have the types of its literals', () => {
  const save = () =>
    saveProgram(
      { toolCalls: [] },
      { name: 'mean', description: 'The mean.', parameters: { city: 'Oslo', days: 3, dry: true } },
    )
  type Call = Parameters<ReturnType<typeof save>['call']>[0]
  expectTypeOf<Call>().toEqualTypeOf<{ city: string; days: number; dry: boolean }>()
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof save>['call']>>>().toEqualTypeOf<ProgramResult>()
})
