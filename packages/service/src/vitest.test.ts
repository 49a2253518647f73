import OpenAI from 'openai'
import { test as base, describe, expect } from 'vitest'
import { serviceFixture, test } from './vitest.js'

async function ask(service: { readonly baseURL: string; readonly apiKey: string }, content: string) {
  const client = new OpenAI({ ...service, maxRetries: 0 })
  const { choices } = await client.chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
  })
  return choices[0]?.message.content
}

describe.concurrent('each test has a service of its own', () => {
  test.for(['one', 'two', 'three'])('%s', async (name, { service }) => {
    service.setRules([{ when: '', answer: name }])
    expect(await ask(service, `I am ${name}`)).toBe(name)
    expect(service.requests).toMatchObject([{ body: { messages: [{ content: `I am ${name}` }] } }])
  })
})

const custom = base.extend(serviceFixture({ script: [{ when: '', answer: 'from the options' }] }))
let ended: string | undefined

custom('a fixture with options', async ({ service }) => {
  ended = service.baseURL
  expect(await ask(service, 'Hello')).toBe('from the options')
})

test('the service ends with its test', async () => {
  await expect(fetch(`${ended}/models`)).rejects.toThrow('fetch failed')
})
