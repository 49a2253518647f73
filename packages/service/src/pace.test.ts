import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { atPace, checkPace } from './pace.js'
import { startService } from './start-service.js'

test('waits for the first token, then for the tokens of each chunk', async () => {
  const log: unknown[] = []
  const { signal } = new AbortController()
  const context = {
    tokensOf: (chunk: string) => chunk.length,
    signal,
    wait: async (ms: number) => log.push(ms),
  }
  const pace = { firstTokenMs: 300, tokensPerSecond: 20 }
  for await (const chunk of atPace(['', 'ab', 'c', ''], pace, context)) log.push(chunk)
  expect(log).toEqual([300, '', 100, 'ab', 50, 'c', ''])
})

test('a paced reply is the same reply, streamed or not, and takes its time', async () => {
  const pace = { firstTokenMs: 40, tokensPerSecond: 200 }
  const script = [{ when: '', answer: 'One two three four five.' }]
  const service = await startService({ pace, script })
  onTestFinished(() => service.close())
  const client = new OpenAI({ ...service, maxRetries: 0 })
  const asked = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Count.' }] }
  const started = performance.now()
  const whole = await client.chat.completions.create(asked)
  // 40 ms and 6 tokens; timers may fire a millisecond early.
  expect(performance.now() - started).toBeGreaterThan(65)
  let text = ''
  for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true }))
    text += choices[0]?.delta.content ?? ''
  expect([whole.choices[0]?.message.content, text]).toEqual([script[0]?.answer, script[0]?.answer])
})

test('a rule has its own pace, and a client that leaves ends the wait', async () => {
  const lines: string[] = []
  const script = [
    { when: 'slow', answer: 'x', pace: { firstTokenMs: 1_000_000_000 } },
    { when: '', answer: 'at once' },
  ]
  const service = await startService({ script, log: (line) => lines.push(line) })
  const client = new OpenAI({ ...service, maxRetries: 0 })
  const ask = (content: string, stream: boolean) => {
    const stop = new AbortController()
    const messages = [{ role: 'user' as const, content }]
    const reply = client.chat.completions.create({ model: 'm', messages, stream }, { signal: stop.signal })
    return { reply, stop }
  }
  for (const stream of [true, false]) {
    const { reply, stop } = ask('slow', stream)
    await expect.poll(() => service.requests.at(-1)?.body).toMatchObject({ stream })
    stop.abort()
    await expect(reply).rejects.toThrow('aborted')
  }
  expect(await ask('fast', false).reply).toMatchObject({ choices: [{ message: { content: 'at once' } }] })
  await service.close()
  expect(lines.filter((line) => line.includes('internal_error'))).toEqual([])
})

test.each([
  [5, 'pace must be an object'],
  [{ speed: 1 }, 'pace has an unknown field "speed"'],
  [{ firstTokenMs: -1 }, 'pace.firstTokenMs must be'],
  [{ tokensPerSecond: 0 }, 'pace.tokensPerSecond must be'],
])('the pace %j is rejected', (pace, message) => {
  expect(() => checkPace(pace, 'pace')).toThrow(message)
})
