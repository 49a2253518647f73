import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { codeMode } from '../src/index.js'
import { byValues, knownReceivers, saved, withDirectTools } from './code.examples.js'

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

const readPage = tool({
  name: 'read_page',
  description: 'Reads a page.',
  parameters: z.object({}),
  effects: 'read',
  untrusted: true,
  execute: () => ({ title: 'News', owner: 'eve@example.com' }),
})
const send = tool({
  name: 'send',
  description: 'Sends a text.',
  parameters: z.object({ to: z.string(), text: z.string() }),
  execute: () => 'sent',
})

test('a call without anything of the page runs, the other one asks and names what comes from it', async () => {
  const code = `const page = await tools.read_page({})
await tools.send({ to: 'ada@example.com', text: 'I read it.' })
await tools.send({ to: 'ada@example.com', text: page.title })`
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('Done.')])
  const { pending } = await byValues(model, readPage, send).run('Go')
  expect(pending?.map(({ callId }) => callId)).toEqual(['call_1_1/call2'])
  expect(pending?.[0]?.reason).toMatch(
    /Sources: to from the program; text from read_page \(call0, not trusted\)\.$/,
  )
})

test('the policy denies a receiver of the page only', async () => {
  const code = `const { owner } = await tools.read_page({})
const tell = (to) => tools.send({ to, text: 'hi' }).then(() => 'sent', ({ status }) => status)
return [await tools.send({ to: 'ada@example.com', text: owner }), await tell(owner)]`
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('Done.')])
  const agent = new Agent({
    model,
    tools: [readPage, send],
    middleware: [codeMode({ taint: 'values' })],
    policy: knownReceivers,
  })
  const { pending = [], state } = await agent.run('Go')
  const decisions = Object.fromEntries(pending.map(({ callId }) => [callId, { type: 'approve' as const }]))
  const { toolCalls } = await agent.run(state, { decisions })
  expect(toolCalls[0]?.result).toMatchObject({ value: ['sent', 'denied'] })
})
