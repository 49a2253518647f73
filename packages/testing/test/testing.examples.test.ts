import { readFileSync } from 'node:fs'
import { Agent, tool } from '@capstan/core'
import { approveAll, autoModel, fakeClock, reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().min(1), days: z.int().min(1).max(14).optional() }),
  effects: 'read',
  execute: ({ city }) => `${city}: clear`,
})
const mail = tool({
  name: 'send_mail',
  description: 'Sends a mail',
  parameters: z.object({ to: z.email(), text: z.string() }),
  execute: () => 'sent',
})
const tools = [weather, mail] as const

test('every kind of step', async () => {
  // #region steps
  const model = scriptedModel([
    reply.call('get_weather', { city: 'Oslo' }),
    reply.calls(reply.call('get_weather', { city: 'Bergen' }), reply.call('get_weather', '{"city": "Bod')),
    ({ messages }) => reply.text(`I have read ${messages.length} messages.`),
  ])
  // #endregion
  const { text: said, toolCalls } = await new Agent({ model, tools }).run('How is the weather?')
  expect(said).toBe('I have read 6 messages.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok', 'rejected'])
})

test('the expected request of a step', async () => {
  // #region asked
  const model = scriptedModel([
    reply.call('get_weather', { city: 'Oslo' }, { asked: 'How is the weather in Oslo?' }),
    reply.text('Clear.', {
      asked: { text: /clear/, role: 'tool', tools: ['get_weather', 'send_mail'], instructions: /brief/ },
    }),
  ])
  // #endregion
  await new Agent({ model, tools, instructions: 'Be brief.' }).run('How is the weather in Oslo?')
  expect(model).toBeUsedUp()
})

test('failures and retries', async () => {
  // #region retries
  const model = scriptedModel([reply.fail('rate_limit', { retryAfterMs: 2000 }), reply.text('Here I am.')], {
    retries: 1,
  })
  const run = new Agent({ model }).stream('Hello?')
  const heard: string[] = []
  for await (const event of run) {
    if (event.type === 'retry-scheduled') heard.push(`again in ${event.delayMs} ms`)
    if (event.type === 'text-delta') heard.push(event.text)
  }
  expect(heard).toEqual(['again in 2000 ms', 'Here ', 'I ', 'am.'])
  // #endregion
})

test('a failure of a matcher is the text of the page', async () => {
  const model = scriptedModel([
    reply.call('get_weather', { city: 'Bergen', days: 3 }),
    reply.call('send_mail', { to: 'Kari', text: 'Clear.' }),
    reply.text('Done.'),
  ])
  const result = await new Agent({ model, tools }).run('Mail Kari the weather in Oslo.')
  const failure = (() => {
    try {
      expect(result).toHaveCalledTool('get_weather', { city: 'Oslo' })
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(`${failure}\n`).toBe(readFileSync(new URL('testing.failure.txt', import.meta.url), 'utf8'))
})

// #region auto
test('the tools accept everything that their schemas allow', async () => {
  const model = autoModel({ seed: 7 })
  const result = await new Agent({ model, tools }).run('Try everything.')
  expect(model.surprises(result)).toEqual([])
})
// #endregion

const cancel = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking',
  needsApproval: true,
  parameters: z.object({ booking: z.string() }),
  execute: ({ booking }) => `${booking} is cancelled`,
})

// #region pending
test('a cancellation waits for a person', async () => {
  const model = scriptedModel([reply.call('cancel_booking', { booking: 'B-17' }), reply.text('It is done.')])
  const agent = new Agent({ model, tools: [cancel] })
  const asked = await agent.run('Cancel booking B-17.')
  expect(asked).toHavePendingCall('cancel_booking', { booking: 'B-17' })
  expect(asked).not.toHaveCalledTool('cancel_booking')
  const done = await agent.run(asked.state, { decisions: approveAll(asked) })
  expect(done).toHavePendingCalls([])
  expect(done).toHaveCalledTool('cancel_booking')
})
// #endregion

// #region approvals
test('the tools accept what their schemas allow, once it is approved', async () => {
  const model = autoModel()
  const agent = new Agent({ model, tools: [cancel] })
  let result = await agent.run('Try everything.')
  const results = [result]
  while (result.pending) {
    result = await agent.run(result.state, { decisions: approveAll(result) })
    results.push(result)
  }
  expect(model.surprises(...results)).toEqual([])
})
// #endregion

// #region clock
test('a run of a minute ends after a minute', async () => {
  const clock = fakeClock({ auto: true })
  const think = tool({
    name: 'think',
    description: 'Thinks for a while',
    parameters: z.object({}),
    execute: (_args, { signal }) => clock.sleep(61_000, signal),
  })
  const model = scriptedModel([reply.call('think'), reply.text('I ran out of time.')])
  const agent = new Agent({ model, tools: [think], limits: { seconds: 60 } })
  const result = await agent.run('Think.', { host: clock.host })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'seconds', text: 'I ran out of time.' })
})
// #endregion

// #region prefix
test('each request extends the one before', async () => {
  const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Clear.')])
  await new Agent({ model, tools: [weather] }).run('How is the weather in Oslo?')
  expect(model).toKeepItsPrefix()
})
// #endregion
