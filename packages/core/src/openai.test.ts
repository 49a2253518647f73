import OpenAI, { AzureOpenAI } from 'openai'
import OpenAI7, { AzureOpenAI as AzureOpenAI7 } from 'openai7'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../test/scripted-server.js'
import { Agent, tool } from './index.js'
import { openaiModel } from './openai.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

const script = [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'Three.' }]

for (const [version, Client] of [
  ['6', OpenAI],
  ['7', OpenAI7],
] as const) {
  test(`an openai ${version} client carries a run, plain and streamed`, async () => {
    await using plain = await startScriptedServer(script)
    await using streamed = await startScriptedServer(script)
    for (const server of [plain, streamed]) {
      const agent = new Agent({ model: openaiModel(new Client(server), 'm'), tools: [add] })
      const result = server === plain ? await agent.run('1 + 2?') : await agent.stream('1 + 2?').result
      expect(result).toMatchObject({ text: 'Three.', toolCalls: [{ name: 'add', result: 3 }] })
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${server.apiKey}`)
      expect(server.requests[0]?.body).toMatchObject({
        model: 'm',
        tool_choice: 'auto',
        tools: [{ type: 'function' }],
      })
    }
  })

  test(`an openai ${version} client's errors are read to the last word, and it does not retry`, async () => {
    const body = [{ error: { code: 429, message: 'Quota of the gateway is used up.' } }]
    await using server = await startScriptedServer([{ status: 429, body }])
    const client = new Client({ ...server, maxRetries: 5 })
    const error = await new Agent({ model: openaiModel(client, 'm', { maxRetries: 0 }) })
      .run('Go.')
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'rate_limit', status: 429, retryable: true })
    expect(error.message).toContain('Quota of the gateway is used up.')
    expect(server.requests).toHaveLength(1)
  })

  test(`a run over an openai ${version} client can be aborted`, async () => {
    const stop = new AbortController()
    await using server = await startScriptedServer([() => stop.abort()])
    const agent = new Agent({ model: openaiModel(new Client(server), 'm') })
    expect(await agent.run('Go.', { signal: stop.signal })).toMatchObject({ stopReason: 'aborted' })
  })
}

test('the fetch of the given client is the one that is used', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  const urls: string[] = []
  const client = new OpenAI({
    ...server,
    fetch: (url, init) => {
      urls.push(String(url))
      return fetch(url, init)
    },
  })
  await new Agent({ model: openaiModel(client, 'm') }).run('Hello.')
  expect(urls).toEqual([`${server.baseURL}/chat/completions`])
})

test.each([AzureOpenAI, AzureOpenAI7])(
  "Azure's client keeps its version and its deployment",
  async (Client) => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    const paths: string[] = []
    const client = new Client({
      baseURL: `${server.baseURL.replace('/v1', '')}/openai`,
      apiKey: 'azure-key',
      apiVersion: '2025-01-01',
      deployment: 'ours',
      fetch: (url, init) => {
        paths.push(String(url).replace(/^http:..[^/]*/, ''))
        return fetch(url, init)
      },
    })
    await new Agent({ model: openaiModel(client, 'm') }).run('Hello.')
    expect(paths).toEqual(['/openai/deployments/ours/chat/completions?api-version=2025-01-01'])
  },
)
