// Code of docs/guides/limits-and-budgets.md and rate-limits.md; `limits.examples.test.ts` runs it.
import { Agent, type AnyTool, type ChatModel, chatModel } from '../src/index.js'

export function priced(model: ChatModel, tools: readonly AnyTool[]) {
  // #region price
  const agent = new Agent({
    model,
    tools,
    limits: { cost: 0.05 },
    price: {
      'gpt-5-mini': { inputTokens: 0.25e-6, cachedInputTokens: 0.025e-6, outputTokens: 2e-6 },
    },
  })
  // #endregion
  return agent
}

export function sharing(baseURL: string, apiKey: string) {
  // #region shared
  const model = chatModel('gpt-5-mini', { baseURL, apiKey, maxInFlight: 4 })
  const writer = new Agent({ name: 'writer', model })
  const critic = new Agent({ name: 'critic', model })
  // #endregion
  return { writer, critic }
}
