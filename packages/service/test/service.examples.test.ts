import { rulesHeader, startService } from '@capstan/service'
import { test } from '@capstan/service/vitest'
import OpenAI from 'openai'
import { expect, onTestFinished } from 'vitest'

// #region fixture
test('asks for the weather', async ({ service }) => {
  service.setRules([
    { when: 'weather', calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    { when: '', answer: 'Done.', pace: { firstTokenMs: 20, tokensPerSecond: 500 } },
  ])
  const client = new OpenAI(service)
  const messages = [{ role: 'user' as const, content: 'What is the weather?' }]
  await client.chat.completions.create({ model: 'gpt-4o', messages })
  expect(service.requests).toMatchObject([
    { path: '/v1/chat/completions', status: 200, body: { model: 'gpt-4o', messages } },
  ])
})
// #endregion

test('rules in a header', async () => {
  // #region header
  const service = await startService({ testing: true })
  const defaultHeaders = rulesHeader([{ when: '', answer: 'For this client only.' }])
  const client = new OpenAI({ ...service, defaultHeaders })
  // #endregion
  onTestFinished(() => service.close())
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages })
  expect(choices[0]?.message.content).toBe('For this client only.')
})
