import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode } from '../src/index.js'
import { saved, withDirectTools } from './code.examples.js'

const named = (name: string) =>
  tool({
    name,
    description: 'Looks.',
    parameters: z.object({ city: z.string(), days: z.number().optional() }),
    execute: ({ city }) => city.length,
  })

test('tools of keep are direct ones too', async () => {
  const model = scriptedModel([reply.text('Hi.')])
  await withDirectTools(model, named('weather'), named('search')).run('Go')
  expect(model.requests[0]?.tools.map((one) => one.function.name)).toEqual(['weather', 'run_program'])
})

test('the saved program takes other values', async () => {
  const code = "return (await tools.forecast({ city: 'Oslo', days: 3 })) / 3"
  const first = scriptedModel([reply.call('run_program', { code }), reply.text('Done.')])
  const result = await new Agent({ model: first, tools: [named('forecast')], middleware: [codeMode()] }).run(
    'Go',
  )
  const model = scriptedModel([
    reply.call('mean_temperature', { city: 'Bergen', days: 2 }),
    reply.text('Done.'),
  ])
  const { toolCalls } = await new Agent({ model, tools: [named('forecast'), saved(result)] }).run('Go')
  expect(toolCalls[0]?.content).toBe('3')
})
