import { Agent, type AnyTool, CapstanError, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { deferred } from '@capstan/tools/search'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { type CodeModeOptions, codeMode } from '../src/index.js'

const named = (name: string, settings: object = {}) =>
  tool({
    name,
    description: `Does ${name}. With care.`,
    parameters: z.object({ city: z.string().describe('A city of Norway') }),
    output: z.object({ degrees: z.number() }),
    execute: () => ({ degrees: 4 }),
    ...settings,
  })

async function requestsOf(
  tools: readonly AnyTool[],
  options: CodeModeOptions,
  steps = [reply.text('Hi.')] as never[],
) {
  const model = scriptedModel(steps)
  const result = await new Agent({ model, tools, middleware: [codeMode(options)] }).run('Go')
  return { result, tools: model.requests[0]?.tools ?? [], model }
}

const nameOf = ({ function: { name } }: { readonly function: { readonly name: string } }) => name

test('the model gets one tool, which declares the others', async () => {
  const { tools } = await requestsOf([named('weather'), named('tide')], {})
  expect(tools.map(nameOf)).toEqual(['run_program'])
  expect(tools[0]?.function.description).toContain(`The tools:
/** Does weather. With care. */
weather(args: {
    /** A city of Norway */ city: string
  }): Promise<{ degrees: number }>
/** Does tide. With care. */
tide(args: {`)
})

test('tools of keep stay direct ones as well', async () => {
  const { tools } = await requestsOf([named('weather'), named('tide')], { keep: ['tide'] })
  expect(tools.map(nameOf)).toEqual(['tide', 'run_program'])
  expect(tools[1]?.function.description).toContain('tide(args')
})

test('programs may call the named tools only', async () => {
  const { tools } = await requestsOf([named('weather'), named('tide')], { tools: ['weather'] })
  expect(tools.map(nameOf)).toEqual(['tide', 'run_program'])
  expect(tools[1]?.function.description).not.toContain('tide')
})

test('many tools are lines, and describe_tools returns their declarations', async () => {
  const many = Array.from({ length: 60 }, (_, at) => named(`tool${at}`))
  const steps = [reply.call('describe_tools', { names: ['tool7', 'tol8'] }), reply.text('Hi.')]
  const { tools, result } = await requestsOf(many, { declarationTokens: 500 }, steps as never[])
  expect(tools.map(nameOf)).toEqual(['run_program', 'describe_tools'])
  const { description } = tools[0]?.function ?? expect.unreachable()
  expect(description).toContain('tool7: Does tool7.\n')
  expect(description).not.toContain('degrees')
  expect(result.toolCalls[0]?.content).toBe(`/** Does tool7. With care. */
tool7(args: {
    /** A city of Norway */ city: string
  }): Promise<{ degrees: number }>
Programs cannot call "tol8": there is no such tool. Did you mean "tool8"?`)
})

test('deferred tools are found as without code mode, and then declared', async () => {
  const many = ['weather', 'tide', 'snow'].map((name) => named(name))
  const model = scriptedModel([
    reply.call('run_program', { code: "return await tools.tide({ city: 'Oslo' })" }),
    reply.call('find_tools', { query: 'tide' }),
    reply.call('run_program', { code: "return (await tools.tide({ city: 'Oslo' })).degrees" }),
    reply.text('Hi.'),
  ])
  const agent = new Agent({ model, tools: [named('clock'), deferred(many)], middleware: [codeMode()] })
  const { toolCalls } = await agent.run('Go')
  const [first, , third] = model.requests.map(({ tools }) => tools)
  expect(first?.map(nameOf)).toEqual(['run_program', 'find_tools'])
  expect(first?.[0]?.function.description).not.toContain('tide')
  expect(third?.map(nameOf)).toEqual(['run_program', 'find_tools'])
  expect(third?.[0]?.function.description).toContain('tide(args')
  expect(toolCalls[0]?.content).toContain('A program cannot call "tide": it is not available in this step.')
  expect(toolCalls[2]?.content).toBe('4')
})

test('a step that offers some tools offers these to programs', async () => {
  const model = scriptedModel([
    reply.call('run_program', { code: "return await tools['weather']({ city: 'Oslo' })" }),
    reply.call('run_program', { code: "return (await tools.weather({ city: 'Oslo' })).degrees" }),
    reply.text('Hi.'),
  ])
  const agent = new Agent({
    model,
    tools: [named('weather'), named('tide')],
    middleware: [codeMode()],
    prepareStep: ({ step }) => (step === 0 ? { tools: ['tide', 'run_program'] } : undefined),
  })
  const { toolCalls } = await agent.run('Go')
  expect(toolCalls.flatMap(({ via, content }) => (via ? [] : content))).toEqual([
    'Error: A program cannot call "weather": it is not available in this step. Call it directly. The program did not start.',
    '4',
  ])
})

test('a direct call of a tool of programs is rejected, and the model reads which tools there are', async () => {
  const steps = [reply.call('weather', { city: 'Oslo' }), reply.text('Hi.')]
  const { result } = await requestsOf([named('weather')], {}, steps as never[])
  expect(result.toolCalls[0]).toMatchObject({ name: 'weather', status: 'rejected' })
  expect(result.toolCalls[0]?.content).toContain('run_program')
})

test('a name that no tool has is an error, with the nearest one', async () => {
  const agent = (options: CodeModeOptions) =>
    new Agent({
      model: scriptedModel([reply.text('Hi.')]),
      tools: [named('weather')],
      middleware: [codeMode(options)],
    })
  await expect(agent({ keep: ['wether'] }).run('Go')).rejects.toThrow('Did you mean "weather"?')
  await expect(agent({ tools: ['x'] }).run('Go')).rejects.toMatchObject({ code: 'unknown_tool' })
})

test.each([
  [{ fule: 1 }, 'fuel'],
  [{ fuel: 0 }, 'a whole number of 1 or more'],
  [{ memoryMb: 5 }, '17 to 4096'],
  [{ stackKb: 1e6 }, '16 to 1024'],
  [{ tools: 'all' }, 'an array of tool names'],
  [{ keep: [1] }, 'an array of tool names'],
])('%j is refused', (options, message) => {
  expect(() => codeMode(options as never)).toThrow(CapstanError)
  expect(() => codeMode(options as never)).toThrow(message)
})
