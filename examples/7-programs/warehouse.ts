// A warehouse: what each step did, how long it took, what it cost, and what the server says of it. Ported from the AI SDK.
import '../local-service.js'
import { Agent, hasCalled, tool } from '@capstan/core'
import * as z from 'zod'

const getStock = tool({
  name: 'get_stock',
  description: 'How many pieces of an article are in stock',
  parameters: z.object({ article: z.string().describe('Name of the article') }),
  effects: 'read',
  execute: ({ article }) => ({ article, pieces: article.length * 7 }),
})

const reserve = tool({
  name: 'reserve',
  description: 'Reserves pieces of an article',
  parameters: z.object({ article: z.string(), pieces: z.int().min(1) }),
  execute: ({ article, pieces }) => ({ article, reserved: pieces }),
})

const agent = new Agent({
  model: 'planner',
  instructions: 'You manage a warehouse.',
  tools: [getStock, reserve],
  limits: { steps: 5 },
  stopWhen: hasCalled('ship'),
  settings: { temperature: 0, maxTokens: 300, seed: 7 },
  price: { planner: { inputTokens: 0.25e-6, outputTokens: 2e-6 } },
  onStep({ finishReason, toolCalls }) {
    console.log('finished:', finishReason, toolCalls.map(({ name }) => name).join(', '))
  },
})

const result = await agent.run(
  'What is the stock of the articles "lamp" and "chair"? Then reserve 3 pieces of the article "lamp".',
)

for (const { step, text, reasoning, toolCalls, usage, model, ms, response } of result.steps) {
  for (const call of toolCalls) {
    if (call.dynamic || call.status !== 'ok') continue
    if (call.name === 'get_stock') console.log(`${call.result.pieces} of ${call.arguments.article}`)
    else console.log(`reserved ${call.result.reserved} of ${call.arguments.article}`)
  }
  console.log(`step ${step} of ${model}: ${text || 'no text'}, ${reasoning ?? 'no reasoning'}`)
  console.log(`  ${usage.totalTokens === usage.inputTokens + usage.outputTokens} sum`)
  console.log(`  costs ${usage.cost !== 'unknown' && usage.cost !== 0}, measured ${ms >= 0}`)
  console.log(`  request ${'x-request-id' in (response.headers ?? {})}, reply ${response.id?.slice(0, 9)}`)
  console.log(`  left ${'x-ratelimit-remaining-tokens' in (response.headers ?? {})}`)
}
const { usage, stepCount, steps, stopReason } = result
const sum = steps.reduce((tokens, step) => tokens + step.usage.totalTokens, 0)
console.log(`${stepCount} steps, ${stopReason}, all counted: ${sum === usage.totalTokens}`)
console.log(`cached: ${usage.cachedInputTokens ?? 0}`)
