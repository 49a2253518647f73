// Names that every object inherits: as fields of schemas, of tools, of calls and of agents.
import { Agent, agentTool, isCapstanError, jsonSchema, memorySessions, safeRepair, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'

const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'toLocaleString', '__proto__']
const base = { name: 'plan', description: 'Plans' }
const planned = (args: object = { season: 1 }) =>
  scriptedModel([reply.call('plan', args), reply.text('Done.')])
const withField = (name: string) => z.object({ season: z.number(), [name]: z.string().optional() })

test.each(names)('a field %s that is left out is absent in arguments, however they come', async (name) => {
  const seen: object[] = []
  const plan = tool({ ...base, parameters: withField(name), execute: (args) => seen.push(args) })
  const repaired = { model: planned({ season: '1' }), tools: [plan], repair: safeRepair }
  for (const options of [{ model: planned(), tools: [plan] }, repaired]) {
    const { toolCalls } = await new Agent(options).run('go')
    expect(toolCalls[0]).toMatchObject({ status: 'ok' })
  }
  await plan.call({ season: 1 })
  const agent = new Agent({ model: planned(), tools: [{ ...plan, settings: { needsApproval: true } }] })
  const { state, pending } = await agent.run('go')
  const decisions = { [pending?.[0]?.callId ?? '']: { type: 'approve' as const, arguments: { season: 2 } } }
  expect((await agent.run(state, { decisions })).toolCalls[0]?.status).toBe('ok')
  expect(seen.map((args) => Object.keys(args))).toEqual(Array.from({ length: 4 }, () => ['season']))
})

test.each(names)('a field %s that is left out is absent in output and results', async (name) => {
  const season = { season: 1 }
  const output = withField(name)
  const model = scriptedModel([reply.call('final_answer', season), reply.text('x')])
  expect((await new Agent({ model, output }).run('go')).output).toEqual(season)
  const rows = z.object({ rows: z.array(output) })
  for (const [schema, value] of [
    [output, season],
    [rows, { rows: [season] }],
    [jsonSchema<object>({ type: 'object', properties: { [name]: { type: 'string' } } }), season],
  ] as const) {
    const plan = tool({
      ...base,
      parameters: z.object({}),
      output: schema as z.ZodType,
      execute: () => value,
    })
    const { toolCalls } = await new Agent({ model: planned({}), tools: [plan] }).run('go')
    expect(toolCalls[0]).toMatchObject({ status: 'ok', result: value })
  }
})

test.each(names)('a field %s that is required in a JSON Schema is missing', async (name) => {
  const schema = { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }
  const plan = tool({ ...base, parameters: jsonSchema(schema), execute: () => 'ran' })
  await expect(plan.call({})).rejects.toMatchObject({ code: 'invalid_arguments' })
})

test.each(names)('%s can be the name of a tool, of its call, of an agent and of a session', async (name) => {
  const plan = tool({ ...base, name, parameters: z.object({}), needsApproval: true, execute: () => 'ran' })
  const call = { id: name, type: 'function' as const, function: { name, arguments: '{}' } }
  const asked = async () => ({ message: { role: 'assistant' as const, content: null, tool_calls: [call] } })
  let replies = 0
  const model = {
    name: 'm',
    complete: () => (replies++ === 0 ? asked() : Promise.resolve(reply.text('Done.') as never)),
  }
  const agent = new Agent({ name, model, tools: [plan] })
  const session = { store: memorySessions(), id: name }
  const { state, pending } = await agent.run('go', { session })
  expect(pending?.map(({ callId }) => callId)).toEqual([name])
  const decisions = Object.fromEntries([[name, { type: 'deny' as const, reason: 'no' }]])
  const decided = await new Agent({ name, model: scriptedModel([reply.text('Done.')]), tools: [plan] }).run(
    state,
    {
      decisions,
    },
  )
  expect(decided.toolCalls[0]?.status).toBe('denied')
  const child = agentTool(new Agent({ name, model: scriptedModel([reply.text('inner')]) }), base)
  const { toolCalls } = await new Agent({ model: planned({ input: 'x' }), tools: [child] }).run('go')
  expect(toolCalls[0]?.content).toBe('inner')
})

test('an inherited name is an unknown option and an unknown tool', async () => {
  for (const name of names.filter((name) => name !== '__proto__')) {
    expect(() => new Agent({ model: planned(), [name]: 1 } as never)).toThrow(`no option "${name}"`)
    const plan = tool({ ...base, parameters: z.object({}), execute: () => 'ran' })
    const model = scriptedModel([reply.call(name), reply.text('x')])
    const { toolCalls } = await new Agent({ model, tools: [plan] }).run('go')
    expect(toolCalls[0]?.status).toBe('rejected')
  }
  expect(isCapstanError({})).toBe(false)
})
