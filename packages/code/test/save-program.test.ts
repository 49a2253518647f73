import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode, programCalls, saveProgram } from '../src/index.js'
import { replaceLiterals } from '../src/literals.js'

const forecast = tool({
  name: 'forecast',
  description: 'The temperatures of the next days.',
  parameters: z.object({ city: z.string(), days: z.number() }),
  effects: 'read',
  execute: ({ city, days }) => Array.from({ length: days }, (_, day) => city.length + day),
})
const send = tool({
  name: 'send',
  description: 'Sends a text.',
  parameters: z.object({ to: z.string(), text: z.string() }),
  needsApproval: true,
  execute: ({ to }) => ({ sent: to }),
})

const code = `// Oslo, 3 days
const days = await tools.forecast({ city: 'Oslo', days: 3 })
const mean = days.reduce((a, b) => a + b) / 3
await tools.send({ to: "ada", text: 'Oslo: ' + mean })
return { "Oslo": mean }`

async function runOnce() {
  const model = scriptedModel([reply.call('run_program', { code }, { id: 'p' }), reply.text('Sent.')])
  const agent = new Agent({ model, tools: [forecast, send], middleware: [codeMode()] })
  const { state } = await agent.run('Tell Ada the mean of Oslo')
  return agent.run(state, { decisions: { 'p/call1': { type: 'approve' } } })
}

const options = {
  name: 'tell_mean',
  description: 'Tells a person the mean of the next days.',
  parameters: { city: 'Oslo', days: 3, person: 'ada' },
}

test('a program that worked is a tool with parameters, under the same rules', async () => {
  const saved = saveProgram(await runOnce(), options)
  expect(saved.definition.function.parameters).toMatchObject({
    properties: { city: { type: 'string' }, days: { type: 'number' }, person: { type: 'string' } },
    required: ['city', 'days', 'person'],
  })
  const call = reply.call('tell_mean', { city: 'Bergen', days: 5, person: 'bob' }, { id: 'q' })
  const agent = new Agent({
    model: scriptedModel([call, reply.text('Done.')]),
    tools: [saved, forecast, send],
  })
  const first = await agent.run('Tell Bob')
  expect(first.pending).toMatchObject([
    { callId: 'q/call1', name: 'send', arguments: { to: 'bob', text: 'Oslo: 8' } },
  ])
  const last = await agent.run(first.state, { decisions: { 'q/call1': { type: 'approve' } } })
  expect(last.toolCalls[0]).toMatchObject({ name: 'tell_mean', status: 'ok', content: '{"Oslo":8}' })
})

test('arguments that do not fit are rejected before the program starts', async () => {
  const saved = saveProgram(await runOnce(), options)
  const call = reply.call('tell_mean', { city: 'Bergen', days: 'five', person: 'bob' })
  const agent = new Agent({
    model: scriptedModel([call, reply.text('Done.')]),
    tools: [saved, forecast, send],
  })
  const { toolCalls } = await agent.run('Tell Bob')
  expect(toolCalls[0]).toMatchObject({ status: 'rejected' })
})

test('a saved program may be called by a program', async () => {
  const saved = saveProgram(await runOnce(), options)
  const outer =
    "return await Promise.all(['bob', 'cid'].map((person) => tools.tell_mean({ city: 'Rome', days: 2, person })))"
  const model = scriptedModel([reply.call('run_program', { code: outer }, { id: 'o' }), reply.text('Done.')])
  const agent = new Agent({ model, tools: [saved, forecast, send], middleware: [codeMode()] })
  const first = await agent.run('Tell both')
  expect(first.pending?.map(({ callId }) => callId)).toEqual(['o/call0/call1', 'o/call1/call1'])
  const yes = first.pending?.map(({ callId }) => [callId, { type: 'approve' }] as const) ?? []
  const last = await agent.run(first.state, { decisions: Object.fromEntries(yes) })
  const ofModel = programCalls(last).filter(({ via }) => via === 'run_program')
  expect(ofModel.map(({ name, status }) => [name, status])).toEqual([
    ['tell_mean', 'ok'],
    ['tell_mean', 'ok'],
  ])
})

test('a result without a program, or a literal that is not there, is an error', async () => {
  const result = await runOnce()
  expect(() => saveProgram({ toolCalls: [] }, options)).toThrow('contains no program that succeeded')
  expect(() => saveProgram(result, { ...options, callId: 'x' })).toThrow('contains no program "x"')
  expect(() => saveProgram(result, { ...options, parameters: { city: 'Roma' } })).toThrow(
    'does not contain the literal "Roma" (parameter "city")',
  )
  expect(() => saveProgram(result, { ...options, name: 'a b' })).toThrow('not a valid tool name')
})

test.each([
  ['f(\'a\', "a", `a`)', { x: 'a' }, 'f(args["x"], args["x"], args["x"])'],
  [
    "f({ a: 'a', 'a': 1, b: c ? 'a' : 'b' })",
    { x: 'a' },
    'f({ a: args["x"], \'a\': 1, b: c ? args["x"] : \'b\' })',
  ],
  ["f('it\\'s')", { x: "it's" }, 'f(args["x"])'],
  ["f(/'a'/.test('a'), 4 / 2)", { x: 'a', y: 2 }, 'f(/\'a\'/.test(args["x"]), 4 / args["y"])'],
  ['a[3].b3 + 3 + 3.5 + x3 + 1_000', { n: 3, k: 1000 }, 'a[args["n"]].b3 + args["n"] + 3.5 + x3 + args["k"]'],
  ["/* 'a' */ g(true) // 'a'", { t: true }, "/* 'a' */ g(args[\"t\"]) // 'a'"],
  [`\`\${"a"}\` + "a"`, { x: 'a' }, `\`\${"a"}\` + args["x"]`],
  ["x = '/*'; y = 'a'", { x: 'a' }, 'x = \'/*\'; y = args["x"]'],
])('%s', (source, parameters, expected) => {
  expect(replaceLiterals(source, parameters)).toBe(expected)
})
