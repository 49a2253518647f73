import { readFileSync } from 'node:fs'
import { Agent, tool } from '@capstan/core'
import { autoModel, call, calls, fail, fakeClock, scriptedModel, text } from '@capstan/testing'
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
    call('get_weather', { city: 'Oslo' }),
    calls(call('get_weather', { city: 'Bergen' }), call('get_weather', '{"city": "Bod')),
    ({ messages }) => text(`I have read ${messages.length} messages.`),
  ])
  // #endregion
  const { text: said, toolCalls } = await new Agent({ model, tools }).run('How is the weather?')
  expect(said).toBe('I have read 6 messages.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok', 'rejected'])
})

test('the expected request of a step', async () => {
  // #region asked
  const model = scriptedModel([
    call('get_weather', { city: 'Oslo' }, { asked: 'How is the weather in Oslo?' }),
    text('Clear.', {
      asked: { text: /clear/, role: 'tool', tools: ['get_weather', 'send_mail'], instructions: /brief/ },
    }),
  ])
  // #endregion
  await new Agent({ model, tools, instructions: 'Be brief.' }).run('How is the weather in Oslo?')
  expect(model).toBeUsedUp()
})

test('failures and retries', async () => {
  // #region retries
  const model = scriptedModel([fail('rate_limit', { retryAfterMs: 2000 }), text('Here I am.')], {
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
    call('get_weather', { city: 'Bergen', days: 3 }),
    call('send_mail', { to: 'Kari', text: 'Clear.' }),
    text('Done.'),
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

// #region clock
test('a run of a minute ends after a minute', async () => {
  const clock = fakeClock({ auto: true })
  const think = tool({
    name: 'think',
    description: 'Thinks for a while',
    parameters: z.object({}),
    execute: (_args, { signal }) => clock.sleep(61_000, signal),
  })
  const model = scriptedModel([call('think'), text('I ran out of time.')])
  const agent = new Agent({ model, tools: [think], limits: { seconds: 60 } })
  const result = await agent.run('Think.', { host: clock.host })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'seconds', text: 'I ran out of time.' })
})
// #endregion
