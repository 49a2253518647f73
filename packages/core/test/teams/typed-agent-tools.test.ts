import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, agentTool, chatModel, type Middleware, tool } from '../../src/index.js'
import { type Line, startScriptedServer } from '../scripted-server.js'

const parameters = z.object({ city: z.string(), days: z.int().default(3) })

/** A lead that books through a clerk, and the requests that both made. */
async function booking(options: Parameters<typeof agentTool>[1], lines: readonly Line[]) {
  await using server = await startScriptedServer(lines)
  const model = chatModel('m', server)
  const clerk = new Agent({ name: 'clerk', model, instructions: 'You book.' })
  const book = agentTool(clerk, { name: 'book', ...options })
  const result = await new Agent({ name: 'lead', model, tools: [book] }).run('Go.')
  return { result, requests: server.requests.map(({ body }) => body), book }
}

const call = (args: object): Line => ({ calls: [{ name: 'book', arguments: args }] })

test('an agent reads typed arguments as JSON, after their schema was applied', async () => {
  const { result, requests } = await booking({ parameters }, [
    call({ city: 'Oslo' }),
    { text: 'Booked.' },
    { text: 'Done.' },
  ])
  expect(result).toMatchObject({ text: 'Done.', toolCalls: [{ status: 'ok', result: 'Booked.' }] })
  expect(requests[0]?.tools).toMatchObject([{ function: { parameters: { required: ['city'] } } }])
  expect(requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: '{"city":"Oslo","days":3}' })
})

test('an agent reads what toInput writes', async () => {
  const toInput = (args: unknown) => `Book ${(args as z.infer<typeof parameters>).city}.`
  const { requests } = await booking({ parameters, toInput }, [
    call({ city: 'Oslo' }),
    { text: 'Booked.' },
    { text: 'Done.' },
  ])
  expect(requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'Book Oslo.' })
})

test('an empty text of toInput is an error of the call; the agent does not start', async () => {
  const { result, requests } = await booking({ parameters, toInput: () => ' ' }, [
    call({ city: 'Oslo' }),
    { text: 'Sorry.' },
  ])
  expect(result.toolCalls).toMatchObject([
    {
      status: 'error',
      content: expect.stringMatching(/^Error: ".*" received an empty task\./),
    },
  ])
  expect(requests).toHaveLength(2)
})

test('an error of toInput is the result of the call; the agent does not start', async () => {
  const toInput = () => {
    throw new Error('No such city.')
  }
  const { result, requests } = await booking({ parameters, toInput }, [
    call({ city: 'Oslo' }),
    { text: 'Sorry.' },
  ])
  expect(result.toolCalls).toMatchObject([{ status: 'error', content: 'Error: No such city.' }])
  expect(requests).toHaveLength(2)
})

test('arguments that do not match go back to the model; the agent does not start', async () => {
  const { result, requests } = await booking({ parameters }, [call({ town: 'Oslo' }), { text: 'Sorry.' }])
  expect(result.toolCalls).toMatchObject([{ status: 'rejected' }])
  expect(requests).toHaveLength(2)
})

test('an agent ends with a value of the output of its tool', async () => {
  const output = z.object({ id: z.number() })
  const { result } = await booking({ parameters, output }, [
    call({ city: 'Oslo' }),
    { text: 'It is booked.' },
    { calls: [{ name: 'final_answer', arguments: { id: 7 } }] },
    { text: 'Done.' },
  ])
  expect(result.toolCalls).toMatchObject([{ status: 'ok', result: { id: 7 }, content: '{"id":7}' }])
})

test('a direct call returns the output', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'final_answer', arguments: { id: 7 } }] },
  ])
  const clerk = new Agent({ name: 'clerk', model: chatModel('m', server) })
  const book = agentTool(clerk, { parameters, output: z.object({ id: z.number() }) })
  expect(await book.call({ city: 'Oslo' })).toEqual({ id: 7 })
  expect(server.requests[0]?.body.messages.at(-1)?.content).toBe('{"city":"Oslo","days":3}')
})

/** A clerk that ends with a value, as a tool of a lead: the call of it, and what a direct call returns. */
async function answering(answer: object, options: Partial<ConstructorParameters<typeof Agent>[0]>) {
  const clerkOf = () =>
    new Agent({
      name: 'clerk',
      model: scriptedModel([reply.call('final_answer', answer), reply.text('Never asked.')]),
      ...options,
    })
  const lead = new Agent({
    model: scriptedModel([reply.call('clerk', { input: 'Book.' }), reply.text('Done.')]),
    tools: [agentTool(clerkOf())],
  })
  const { toolCalls } = await lead.run('Go.')
  return { asked: toolCalls[0], direct: await agentTool(clerkOf()).call({ input: 'Book.' }) }
}

test('the result of an agent with an output is the value itself, also without a name for its tool', async () => {
  const value = { id: 7, when: { day: 'Monday' } }
  const output = z.object({ id: z.number(), when: z.object({ day: z.string() }) })
  const { asked, direct } = await answering(value, { output })
  expect(asked).toMatchObject({ status: 'ok', result: value, content: JSON.stringify(value) })
  expect(direct).toEqual(value)
})

test('an output that is null is null and not its text', async () => {
  const output = z.object({ id: z.number() }).nullable()
  const { asked, direct } = await answering({ result: null }, { output })
  expect(asked).toMatchObject({ status: 'ok', result: null, content: 'null' })
  expect(direct).toBeNull()
})

test('middlewares of the agent leave its result an object', async () => {
  const quiet: Middleware = { name: 'quiet' }
  const { asked } = await answering({ id: 7 }, { output: z.object({ id: z.number() }), middleware: [quiet] })
  expect(asked?.result).toEqual({ id: 7 })
})

test('an agent with an output that ends before it has one is an error of the call, not a text as its result', async () => {
  const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'seen' })
  const clerkOf = () =>
    new Agent({
      name: 'clerk',
      model: scriptedModel([reply.call('look'), reply.text('Never asked.')]),
      tools: [look],
      output: z.object({ id: z.number() }),
      stopWhen: () => true,
    })
  const model = scriptedModel([reply.call('clerk', { input: 'Book.' }), reply.text('Sorry.')])
  const { toolCalls } = await new Agent({ model, tools: [agentTool(clerkOf())] }).run('Go.')
  expect(toolCalls).toMatchObject([{ status: 'error', content: expect.stringContaining('condition') }])
  expect(toolCalls[0]).not.toHaveProperty('result')
  await expect(agentTool(clerkOf()).call({ input: 'Book.' })).rejects.toMatchObject({ code: 'stopped' })
})

test('an unknown option is an error that names the closest', () => {
  const clerk = new Agent({ name: 'clerk', model: 'm' })
  expect(() => agentTool(clerk, { parameter: parameters } as object)).toThrow(/no option "parameter"/)
})
