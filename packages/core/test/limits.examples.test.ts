import { expect, test } from 'vitest'
import type { ChatModel } from '../src/index.js'
import { named } from './call-context.js'
import { priced, sharing } from './limits.examples.js'
import { type Line, startScriptedServer } from './scripted-server.js'

test('the prices of the page make the cost known, and their limit ends the run', async () => {
  let requests = 0
  const model: ChatModel = {
    name: 'gpt-5-mini',
    async complete() {
      requests += 1
      const call = {
        id: `call_${requests}`,
        type: 'function',
        function: { name: 'search', arguments: '{}' },
      } as const
      const tokens = { inputTokens: 100_000, outputTokens: 20_000, totalTokens: 120_000 }
      return { message: { role: 'assistant', content: null, tool_calls: [call] }, tokens }
    },
  }
  const { stopReason, limit, usage } = await priced(model, [named('search', () => 'found')]).run('Go.')
  expect([stopReason, limit]).toEqual(['limit', 'cost'])
  expect(usage.cost).toBeCloseTo(0.065)
})

test('the two agents of the page send their requests by one model', async () => {
  const lines: Line[] = Array.from({ length: 6 }, () => ({ text: 'Done.' }))
  await using server = await startScriptedServer(lines)
  const { writer, critic } = sharing(server.baseURL, server.apiKey)
  const runs = [writer, critic, writer, critic, writer, critic].map((agent) => agent.run('Go.'))
  expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(Array(6).fill('Done.'))
})
