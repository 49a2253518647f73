import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, tool } from '../index.js'
import { jsonSchema } from '../tools/json-schema.js'

const add = named('add', () => 1)
const multiply = named('multiply', () => 2)

/** Returns the tools of the first request, or its error. */
async function offered(returned: unknown, tools = [add, multiply]) {
  const model = scriptedModel(['Done.'])
  const agent = new Agent({ model, tools, prepareStep: () => ({ tools: returned as readonly string[] }) })
  await agent.run('Go.', { context: { user: 'Ann' } as never })
  return model.requests[0]?.tools
}

test.each([
  [[add], '["add"]'],
  [[add.definition], '["add"]'],
  [['multiply', add], '["multiply","add"]'],
  [[7, null], '[7,null]'],
])('tools that are not names are an error with the names to return: %#', async (returned, names) => {
  const failed = await offered(returned).catch((error: unknown) => error)
  const message = `prepareStep returned tools. Return names: ${names}.`
  expect(failed).toMatchObject({ code: 'invalid_request', message })
  expect(failed).not.toHaveProperty('evidence')
})

test('a name that is returned twice is offered once', async () => {
  expect(await offered(['add', 'multiply', 'add'])).toEqual([add.definition, multiply.definition])
})

test('null in place of names changes nothing', async () => {
  expect(await offered(null)).toEqual([add.definition, multiply.definition])
})

test('an unknown name is an error with 20 names at most, the nearest first', async () => {
  const many = Array.from({ length: 121 }, (_, at) => named(`tool_${at}`, () => at))
  const tools = [...many, named('get_weather', () => 1), named('get_whether', () => 2)]
  const failed = await offered(['get_wether'], tools).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'unknown_tool', evidence: { name: 'get_wether' } })
  const { message } = failed as Error
  expect(message).toMatch(/^Unknown tool "get_wether"\. Nearest: get_weather, get_whether, /)
  expect(message.split(', ')).toHaveLength(20)
})

test('a description that the context computes is that of the run', async () => {
  const greet = tool({
    name: 'greet',
    description: ({ user }: { user: string }) => `Greets ${user}`,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    execute: () => 'Hello',
  })
  expect(await offered(['greet'], [greet as never, add])).toMatchObject([
    { function: { name: 'greet', description: 'Greets Ann' } },
  ])
})

test('a tool has its description, which is empty where the context computes it', () => {
  const computed = tool({ name: 'a', description: () => 'A', parameters: jsonSchema({ type: 'object' }) })
  expect([add.description, computed.description]).toEqual([add.definition.function.description, ''])
})
