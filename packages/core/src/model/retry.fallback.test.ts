import { expect, test } from 'vitest'
import { startScriptedServer } from '../../test/scripted-server.js'
import { Agent, CapstanError, type ChatModel, chatModel, fallback, type RunEvent } from '../index.js'

const down = { status: 503, body: { error: { message: 'overloaded' } } }

test('sends the request to the next model after a failure and emits an event', async () => {
  await using first = await startScriptedServer([down])
  await using second = await startScriptedServer([{ text: 'Here.' }])
  const events: RunEvent[] = []
  const model = fallback([
    chatModel('a', { ...first, maxRetries: 0 }),
    chatModel('b', { ...second, maxRetries: 0 }),
  ])
  const { text } = await new Agent({ model, observe: (event) => events.push(event) }).run('Hello.')
  expect(text).toBe('Here.')
  expect(events.filter(({ type }) => type === 'retry-scheduled')).toMatchObject([
    { code: 'api', model: 'b', delayMs: 0 },
  ])
})

test('puts the model name into the reply', async () => {
  const models = ['a', 'b', 'c'].map(
    (name): ChatModel => ({
      name,
      complete: async ({ messages }) => {
        if (messages[0]?.content !== name) throw new CapstanError('api', 'down')
        return { message: { role: 'assistant', content: name } }
      },
    }),
  )
  const asked = { tools: [], stream: false, signal: new AbortController().signal, idempotencyKey: 'k' }
  for (const content of ['a', 'b', 'c']) {
    const reply = await fallback(models).complete({ ...asked, messages: [{ role: 'user', content }] })
    expect(reply.model).toBe(content)
  }
})

test("the last model's error is the outcome", async () => {
  await using first = await startScriptedServer([down])
  await using second = await startScriptedServer([{ status: 401, body: { error: { message: 'wrong key' } } }])
  const model = fallback([first, second].map((server) => chatModel('m', { ...server, maxRetries: 0 })))
  await expect(new Agent({ model }).run('Hello.')).rejects.toMatchObject({ code: 'auth' })
})

test('asks no other model after an abort', async () => {
  const stop = new AbortController()
  await using first = await startScriptedServer([() => stop.abort()])
  await using second = await startScriptedServer([{ text: 'Here.' }])
  const model = fallback([chatModel('a', first), chatModel('b', second)])
  const { stopReason } = await new Agent({ model }).run('Hello.', { signal: stop.signal })
  expect(stopReason).toBe('aborted')
  expect(second.requests).toHaveLength(0)
})

test('rejects an empty list', () => {
  expect(() => fallback([])).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})
