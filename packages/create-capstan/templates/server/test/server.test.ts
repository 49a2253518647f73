import { startService } from '@capstan/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveAgent } from '../src/handler.js'

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService()
  Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
})
afterAll(() => service.close())

const handler = serveAgent('the-key')

function ask(key: string): Promise<Response> {
  return handler(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'forecaster',
        messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
      }),
    }),
  )
}

test('answers as a model', async () => {
  const response = await ask('the-key')
  expect(response.status).toBe(200)
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  expect(choices[0]?.message.content).toContain('light snow')
})

test('refuses a client without the key', async () => {
  expect((await ask('a-guess')).status).toBe(401)
})
