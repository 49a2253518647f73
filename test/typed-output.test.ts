import { Agent, type ChatModel, chatModel, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { cases, Missing, type TypedCase } from './typed-output-cases.js'
import { trades } from './typed-output-trades.js'

// The planner of the local service fills typed answers only with what a text gives, by every interface.

let service: Service

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const all = [...cases, ...trades]

/** The ways to ask for a typed answer: a tool, or a response format. */
const ways: readonly (readonly [string, () => ChatModel])[] = [
  ['a tool of chat completions', () => chatModel('planner', service)],
  ['a format of chat completions', () => chatModel('planner', { ...service, dialect: 'openai' })],
  ['Responses', () => responsesModel('planner', service)],
  ['Messages', () => messagesModel('planner', service)],
]

async function check(
  [text, output, expected]: TypedCase,
  model: ChatModel,
  isStream: boolean,
): Promise<void> {
  const agent = new Agent({ model, output })
  const result = isStream ? await agent.stream(text).result : await agent.run(text)
  expect(result.usage.requests).toBe(1)
  if (!(expected instanceof Missing)) {
    expect(result).toMatchObject({ stopReason: 'done' })
    expect(result.output).toEqual(expected)
    return
  }
  expect(result.output).toBeUndefined()
  expect(result.stopReason).toBe('refusal')
  expect(result.refusal).toContain('invents nothing')
  const named = [...(result.refusal ?? '').matchAll(/"([\w.]+)"/g)].map(([, name]) => name)
  expect(named).toEqual(expected.names)
  expect(() => result.orThrow()).toThrow('refusal')
}

describe.each(ways.slice(0, 2))('%s', (_, model) => {
  test.each(all)('%j', async (...one) => {
    await check(one, model(), false)
  })
})

describe.each(ways)('%s, streamed', (_, model) => {
  test.each(all.filter((_, index) => index % 8 === 0))('%j', async (...one) => {
    await check(one, model(), true)
  })
})

const ticket = z.object({ customer: z.string(), urgency: z.enum(['low', 'high']) })

test('a message of the agent is not the request, and a value that a check rejects is not sent again and again', async () => {
  const checked = z.object({ customer: z.string() }).refine(({ customer }) => customer === 'Nobody')
  const { stopReason, refusal, usage } = await new Agent({
    model: chatModel('planner', service),
    output: checked,
  }).run('The customer is Acme Corp.')
  expect({ stopReason, requests: usage.requests }).toEqual({ stopReason: 'refusal', requests: 2 })
  expect(refusal).toContain('final_answer failed')
})

const order = tool({
  name: 'get_order',
  description: 'Look up an order by its id',
  parameters: z.object({ id: z.string() }),
  execute: ({ id }) => ({ id, customer: 'Acme Corp', urgency: 'high' }),
})

test('results of tools fill the answer', async () => {
  const agent = new Agent({ model: chatModel('planner', service), tools: [order], output: ticket })
  const { output, usage } = await agent.run('Look up order A-17')
  expect(output).toEqual({ customer: 'Acme Corp', urgency: 'high' })
  expect(usage.requests).toBe(2)
})

test('an answer does not hide that a tool lacks a value', async () => {
  const agent = new Agent({ model: chatModel('planner', service), tools: [order], output: ticket })
  const { stopReason, refusal } = await agent.run(
    'Look up the order. The customer is Acme Corp, urgency: high.',
  )
  expect(stopReason).toBe('refusal')
  expect(refusal).toMatch(/get_order needs "id"/)
})

test('an earlier message of the user completes the request', async () => {
  const agent = new Agent({ model: chatModel('planner', service), output: ticket })
  const first = await agent.run('The customer is Acme Corp.')
  expect(first.refusal).toContain('must have "urgency"')
  const second = await agent.run([...first.messages, { role: 'user', content: 'Urgency: low' }])
  expect(second.output).toEqual({ customer: 'Acme Corp', urgency: 'low' })
})
