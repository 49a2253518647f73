// A run over provider packages of the AI SDK, against servers that speak their protocols.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAICompatible as createOpenAICompatible5 } from 'ai5-openai-compatible'
import { createAnthropic as createAnthropic7 } from 'ai7-anthropic'
import { createGoogleGenerativeAI as createGoogle7 } from 'ai7-google'
import { createOpenAICompatible as createOpenAICompatible7 } from 'ai7-openai-compatible'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { startAnthropicServer, startGoogleServer } from '../test/provider-servers.js'
import { startScriptedServer } from '../test/scripted-server.js'
import { aiSdkModel } from './ai-sdk.js'
import { Agent, type ChatModel, tool } from './index.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

function runOf(model: ChatModel, isStreamed: boolean) {
  const agent = new Agent({ model, instructions: 'Be brief.', tools: [add], settings: { maxTokens: 500 } })
  return isStreamed ? agent.stream('1 + 2?').result : agent.run('1 + 2?')
}

const isDone = { text: 'Three.', stopReason: 'done', toolCalls: [{ name: 'add', result: 3, status: 'ok' }] }

describe.each([
  ['plain', false],
  ['streamed', true],
] as const)('%s', (_name, isStreamed) => {
  test.each([
    ['v2', createOpenAICompatible5],
    ['v3', createOpenAICompatible],
    ['v4', createOpenAICompatible7],
  ] as const)('openai-compatible, specification %s, carries a run', async (version, create) => {
    const calls = [{ name: 'add', arguments: { a: 1, b: 2 }, id: 'call_1' }]
    await using server = await startScriptedServer([{ calls }, { text: 'Three.' }])
    const { baseURL, apiKey } = server
    const model = create({ name: 'local', baseURL, apiKey, includeUsage: true })('m')
    expect(model.specificationVersion).toBe(version)
    const result = await runOf(aiSdkModel(model), isStreamed)
    expect(result).toMatchObject(isDone)
    expect(server.requests[1]?.body.messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1 + 2?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '3' },
    ])
    expect(server.requests[0]?.body.max_tokens).toBe(500)
    expect(result.usage.unreported).toBe(0)
  })

  test.each([
    ['v3', createAnthropic],
    ['v4', createAnthropic7],
  ] as const)('anthropic, specification %s, gets its signed thinking back', async (version, create) => {
    await using server = await startAnthropicServer([
      [
        { type: 'thinking', thinking: 'One and two.', signature: 'c2lnbmVk' },
        { type: 'text', text: 'I add.' },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: 2 } },
      ],
      [{ type: 'text', text: 'Three.' }],
    ])
    const model = create({ baseURL: server.baseURL, apiKey: 'k' })('claude-sonnet-4-5')
    expect(model.specificationVersion).toBe(version)
    const result = await runOf(aiSdkModel(model), isStreamed)
    expect(result).toMatchObject(isDone)
    expect(result.steps[0]).toMatchObject({ text: 'I add.', reasoning: 'One and two.' })
    expect(result.usage.cachedInputTokens).toBe(8)
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'One and two.', signature: 'c2lnbmVk' },
            { type: 'text', text: 'I add.' },
            { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: 2 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      ],
    })
  })

  test.each([
    ['v3', createGoogleGenerativeAI],
    ['v4', createGoogle7],
  ] as const)('google, specification %s, gets the signature of its call back', async (version, create) => {
    await using server = await startGoogleServer([
      [
        { text: 'One and two.', thought: true },
        { functionCall: { name: 'add', args: { a: 1, b: 2 } }, thoughtSignature: 'c2lnbmVk' },
      ],
      [{ text: 'Three.' }],
    ])
    const model = create({ baseURL: server.baseURL, apiKey: 'k' })('gemini-2.5-flash')
    expect(model.specificationVersion).toBe(version)
    const result = await runOf(aiSdkModel(model), isStreamed)
    expect(result).toMatchObject(isDone)
    expect(result.reasoning).toBeUndefined()
    expect(result.steps[0]?.reasoning).toBe('One and two.')
    expect(result.usage).toMatchObject({ inputTokens: 20, reasoningTokens: 6 })
    const contents: unknown = server.requests[1]?.body.contents
    expect(contents).toMatchObject([
      { role: 'user' },
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { name: 'add' } }] },
    ])
    expect(JSON.stringify(contents)).toContain('"thoughtSignature":"c2lnbmVk"')
  })
})
