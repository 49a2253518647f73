// The three programs with @mastra/core 1.71.0. Run by hand: its packages are not installed here.
// #region setup
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import * as z from 'zod'

const model = createOpenAICompatible({
  name: 'local',
  baseURL: process.env.OPENAI_BASE_URL ?? '',
  apiKey: process.env.OPENAI_API_KEY ?? '',
  supportsStructuredOutputs: true,
})('planner')
// #endregion

// #region steps
const findOrder = createTool({
  id: 'find_order',
  description: 'Finds an order by its number',
  inputSchema: z.object({ order: z.int() }),
  execute: async ({ order }) => ({ order, status: 'paid' }),
})

const agent = new Agent({
  id: 'shop',
  name: 'shop',
  model,
  instructions: 'You answer customers of a shop.',
  tools: { find_order: findOrder },
})

export async function steps(log: (line: string) => void): Promise<void> {
  const { steps, text, totalUsage } = await agent.generate('Find order 7.', { maxSteps: 5 })
  for (const { toolCalls, usage } of steps) {
    const names = toolCalls.map(({ payload }) => payload.toolName).join(', ') || 'no calls'
    log(`${names}, tokens counted: ${(usage?.totalTokens ?? 0) > 0}`)
  }
  log(`${steps.length} steps, all tokens counted: ${(totalUsage.totalTokens ?? 0) > 0}`)
  log(text)
}
// #endregion

// #region output
const reporter = new Agent({ id: 'reporter', name: 'reporter', model, instructions: 'You report.' })

export async function output(log: (line: string) => void): Promise<void> {
  const { object } = await reporter.generate('Give the final answer for order 7, cancelled true.', {
    structuredOutput: { schema: z.object({ order: z.int(), cancelled: z.boolean() }) },
  })
  log(`order ${object.order}, cancelled ${object.cancelled}`)
}
// #endregion

// #region approval
const cancelOrder = createTool({
  id: 'cancel_order',
  description: 'Cancels an order for good',
  inputSchema: z.object({ order: z.int() }),
  requireApproval: true,
  execute: async ({ order }) => ({ order, cancelled: true }),
})

const canceller = new Agent({
  id: 'canceller',
  name: 'canceller',
  model,
  instructions: 'You cancel orders.',
  tools: { cancel_order: cancelOrder },
})

// The suspended run stays here; another process needs a storage with a database.
new Mastra({ agents: { canceller }, storage: new InMemoryStore(), logger: false })

export async function approval(log: (line: string) => void): Promise<void> {
  const asked = await canceller.generate('Cancel order 7.')
  if (asked.finishReason !== 'suspended') throw new Error('The run did not wait.')
  const { runId, suspendPayload } = asked
  log(`approve ${suspendPayload.toolName} ${JSON.stringify(suspendPayload.args)}`)

  const run = await canceller.approveToolCall({ runId: runId ?? '', toolCallId: suspendPayload.toolCallId })
  let text = ''
  for await (const part of run.fullStream) {
    if (part.type === 'tool-result') log(`${part.payload.toolName} ${JSON.stringify(part.payload.result)}`)
    if (part.type === 'text-delta') text += part.payload.text
  }
  log(text)
}
// #endregion
