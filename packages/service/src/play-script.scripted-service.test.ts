import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import type { ScriptOptions, ScriptRule } from './script.js'
import { startService } from './start-service.js'

async function start(script: ScriptOptions | readonly ScriptRule[]) {
  const service = await startService({ script })
  onTestFinished(() => service.close())
  return { service, client: new OpenAI({ ...service, maxRetries: 0 }) }
}

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Where is order 7?' }]

test('sends scripted replies, complete and streamed', async () => {
  const call = { name: 'get_order', arguments: { id: 7 } }
  const { client } = await start([{ when: '/order \\d+/', answer: 'One moment.', calls: [call] }])
  const whole = await client.chat.completions.create({ model: 'planner', messages })
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'One moment.',
      tool_calls: [{ function: { name: 'get_order', arguments: '{"id":7}' } }],
    },
  })
  const stream = client.chat.completions.stream({ model: 'planner', messages })
  const { message } = (await stream.finalChatCompletion()).choices[0] ?? {}
  expect(message).toMatchObject(JSON.parse(JSON.stringify({ content: 'One moment.', role: 'assistant' })))
  expect(message?.tool_calls).toMatchObject([{ function: { name: 'get_order', arguments: '{"id":7}' } }])
})

test('a scripted error has its status, message and Retry-After, and a retry succeeds', async () => {
  const error = { status: 429, message: 'Slowly.', retryAfter: 0.01 }
  const { service, client } = await start([
    { when: '', error, times: 2 },
    { when: '', answer: 'Here.' },
  ])
  const failed = await client.chat.completions
    .create({ model: 'planner', messages })
    .catch((one: unknown) => one)
  expect(failed).toBeInstanceOf(OpenAI.RateLimitError)
  expect(failed).toMatchObject({ message: '429 Slowly.', code: 'scripted_error' })
  expect((failed as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('0.01')
  const patient = new OpenAI({ ...service, maxRetries: 1 })
  const { choices } = await patient.chat.completions.create({ model: 'planner', messages })
  expect(choices[0]?.message.content).toBe('Here.')
})

test('max_tokens and stop apply to scripted replies', async () => {
  const { client } = await start([{ when: '', answer: 'One two three. Four.' }])
  const cut = async (limits: object) => {
    const { choices } = await client.chat.completions.create({ model: 'planner', messages, ...limits })
    return [choices[0]?.message.content, choices[0]?.finish_reason]
  }
  expect(await cut({ max_tokens: 2 })).toEqual(['One two ', 'length'])
  expect(await cut({ stop: '.' })).toEqual(['One two three', 'stop'])
})

test('without a match the planner replies, or the script refuses', async () => {
  const rules = [{ when: 'never said', answer: 'x' }]
  const { client } = await start(rules)
  const planned = await client.chat.completions.create({ model: 'planner', messages })
  expect(planned.choices[0]?.message.content).toContain('rule-based planner')
  const { client: strict } = await start({ rules, else: 'refuse' })
  await expect(strict.chat.completions.create({ model: 'planner', messages })).rejects.toMatchObject({
    status: 400,
    code: 'no_rule_fits',
    message: expect.stringContaining('user: "Where is order 7?"'),
  })
})

test('rejects an invalid script at the start and names its place', async () => {
  await expect(startService({ script: [{ when: '/(/', answer: 'x' }] })).rejects.toThrow(
    'script rule 0: when contains /(/',
  )
})
