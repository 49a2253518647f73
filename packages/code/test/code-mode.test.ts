import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode, programCalls } from '../src/index.js'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  effects: 'read',
  execute: ({ a, b }) => a + b,
})

test('a program of thirty calls is one call of the model', async () => {
  const code = `
let sum = 0
for (let i = 1; i <= 30; i++) sum = await tools.add({ a: sum, b: i })
console.log('sum', sum)
return { sum }`
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('465')])
  const agent = new Agent({ model, tools: [add], middleware: [codeMode()] })
  const result = await agent.run('Sum 1 to 30')
  expect(result.text).toBe('465')
  expect(result.toolCalls.slice(0, 1).map(({ name, content }) => [name, content])).toEqual([
    ['run_program', '{"sum":465}\n\nConsole:\nsum 465'],
  ])
  expect(programCalls(result).length).toBe(30)
  expect(result.usage).toMatchObject({ requests: 2, toolCalls: 31, perTool: { run_program: 1, add: 30 } })
})

test.each([
  ['return[1]', '[1]'],
  ["return'a'", '"a"'],
  ['return{a:1}', '{"a":1}'],
  ['return`a`', '"a"'],
  ['return-1', '-1'],
  ['return await(async()=>1)()', '1'],
  ["const \\u0024c = 'own'; return \\u0024c", '"own"'],
])('runs %s', async (code, expected) => {
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('ok')])
  const { toolCalls } = await new Agent({ model, middleware: [codeMode()] }).run('Go')
  expect(toolCalls[0]?.content).toBe(expected)
})
