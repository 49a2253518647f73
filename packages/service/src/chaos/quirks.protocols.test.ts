import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../start-service.js'

let service: Service

beforeAll(async () => {
  service = await startService({ chaos: true })
})
afterAll(() => service.close())

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tool = { name: 'get_weather', description: 'The weather in a city.' }
const protocols = {
  '/responses': (content: string) => ({
    input: [{ role: 'user', content }],
    tools: [{ type: 'function', ...tool, parameters }],
  }),
  '/messages': (content: string) => ({
    max_tokens: 500,
    messages: [{ role: 'user', content }],
    tools: [{ ...tool, input_schema: parameters }],
  }),
}

type Path = keyof typeof protocols
const paths = Object.keys(protocols) as Path[]
const question = 'What is the weather in Paris and in Rome?'

async function ask(path: Path, quirk: string, { stream = false, content = question } = {}) {
  const headers = {
    authorization: `Bearer ${service.apiKey}`,
    'content-type': 'application/json',
    ...(quirk && { 'x-capstan-chaos': quirk }),
  }
  const body = JSON.stringify({ model: 'planner', stream, ...protocols[path](content) })
  const response = await fetch(service.baseURL + path, { method: 'POST', headers, body })
  const text = (await response.text()).replace(/"(created|completed)_at":\d+/g, '"$1_at":0')
  return { status: response.status, text }
}

const dataOf = (text: string) => [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))

test('errors have the form of the protocol', async () => {
  const told = async (path: Path, quirk: string) => {
    const { status, text } = await ask(path, quirk)
    return [status, JSON.parse(text)]
  }
  const slow = { type: 'rate_limit_error', message: 'Slow down.' }
  expect(await told('/responses', 'rate-limit')).toEqual([
    429,
    { error: { ...slow, code: null, param: null } },
  ])
  expect(await told('/messages', 'rate-limit')).toEqual([429, { type: 'error', error: slow }])
  const [, broken] = await told('/messages', 'server-error')
  expect(broken).toEqual({ type: 'error', error: { type: 'api_error', message: 'Something broke.' } })
})

test.each(paths)('%s: an error event ends a stream', async (path) => {
  const { text } = await ask(path, 'error-in-stream', { stream: true })
  const events = dataOf(text)
  expect(events).toHaveLength(3)
  expect(events[2]).toMatchObject({ type: 'error', error: { message: 'Something broke.' } })
  expect(text).toContain('event: error\n')
})

test.each(paths)('%s: quirks of chat completions change nothing', async (path) => {
  for (const stream of [true, false]) {
    const plain = await ask(path, '', { stream })
    for (const quirk of ['no-index', 'object-arguments', 'merged-fragments', 'finish-stop', 'no-done'])
      expect(await ask(path, quirk, { stream })).toEqual(plain)
  }
})

test.each(paths)('%s: usage says what is not so, and what was read', async (path) => {
  const usageOf = async (quirk: string, stream: boolean, content = question) => {
    const { text } = await ask(path, quirk, { stream, content })
    const bodies = stream ? dataOf(text) : [JSON.parse(text)]
    return bodies.flatMap((body) => body.usage ?? body.response?.usage ?? []).at(-1).input_tokens
  }
  for (const stream of [true, false]) {
    const right = await usageOf('', stream)
    expect(await usageOf('odd-usage', stream)).not.toBe(right)
    expect(await usageOf('lost-context', stream)).toBe(right)
    const long = 'Hello! '.repeat(2000)
    expect(await usageOf('', stream, long)).toBeGreaterThan(3000)
    expect(await usageOf('lost-context', stream, long)).toBeLessThan(1100)
  }
})

test.each(paths)('%s: half of a response, and other framings', async (path) => {
  const plain = await ask(path, '', { stream: true })
  expect((await ask(path, 'crlf', { stream: true })).text).toBe(plain.text.replaceAll('\n', '\r\n'))
  const spaced = await ask(path, 'heartbeats', { stream: true })
  expect(spaced.text.replaceAll(': still here\n\ndata:\n\n', '')).toBe(plain.text)
  await expect(ask(path, 'cut-body', { stream: true })).rejects.toThrow()
})
