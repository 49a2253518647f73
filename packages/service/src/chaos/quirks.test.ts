import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../start-service.js'
import { type QuirkName, quirks } from './quirks.js'

let service: Service

beforeAll(async () => {
  service = await startService({ chaos: true })
})
afterAll(() => service.close())

const weather = { city: { type: 'string' } }
const tools = ['get_weather'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: weather },
  },
}))

/** What a client sees of an answer: everything, up to where it ends or breaks, or nothing more comes. */
async function seen(content: string, stream: boolean, chaos?: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${service.apiKey}`,
    'content-type': 'application/json',
    ...(chaos && { 'x-capstan-chaos': chaos }),
  }
  const body = JSON.stringify({ model: 'planner', stream, tools, messages: [{ role: 'user', content }] })
  const leave = new AbortController()
  const init = { method: 'POST', headers, body, signal: leave.signal }
  const chunks: string[] = []
  let end = 'whole'
  let told: unknown
  try {
    const response = await fetch(`${service.baseURL}/chat/completions`, init)
    told = [response.status, response.headers.get('content-type'), response.headers.get('retry-after')]
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk).toString())
      // Under this one the connection stays open: its reader leaves once another answer has begun and ended.
      if (chaos === 'open-after-done' && chunks.join('').includes('data: [DONE]'))
        void seen(content, stream).then(() => leave.abort())
    }
  } catch (error) {
    end = error instanceof Error ? error.name : 'broken'
  }
  const text = chunks.join('').replace(/"created":\d+/g, '"created":0')
  return [told, text, end, chunks.length > 50]
}

test.each(Object.keys(quirks) as QuirkName[])('%s changes what a client sees', async (name) => {
  const asked = ['What is the weather in Paris, and what is the weather in Rome?', 'Hello! '.repeat(1000)]
  const pairs = asked.flatMap((content) => [true, false].map((stream) => [content, stream] as const))
  const changed = await Promise.all(
    pairs.map(async ([content, stream]) => {
      const [plain, bent] = await Promise.all([seen(content, stream), seen(content, stream, name)])
      return JSON.stringify(plain) !== JSON.stringify(bent)
    }),
  )
  expect(changed).toContain(true)
})

test('the documentation lists every quirk with its effect', () => {
  const page = readFileSync(
    new URL('../../../../docs/local-service/service-in-tests.md', import.meta.url),
    'utf8',
  )
  const [, table = ''] = /\| quirk \| response \|\n\| --- \| --- \|\n((?:\|.+\n)+)/.exec(page) ?? []
  const rows = Object.entries(quirks).map(([name, { does }]) => `| \`${name}\` | ${does} |\n`)
  expect(table).toBe(rows.join(''))
})
