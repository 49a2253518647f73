// A workflow with an agent, and a refund that a user approves, with @mastra/core 1.71.0. Run by hand: it is not
// installed here.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import * as z from 'zod'

const model = createOpenAICompatible({
  name: 'local',
  baseURL: process.env.OPENAI_BASE_URL ?? '',
  apiKey: process.env.OPENAI_API_KEY ?? '',
})('planner')

const findOrder = createTool({
  id: 'find_order',
  description: 'Finds an order by its number',
  inputSchema: z.object({ order: z.int() }),
  execute: async ({ order }) => ({ order, total: 42 }),
})

const summarizer = new Agent({
  id: 'summarizer',
  name: 'summarizer',
  model,
  instructions: 'You sum an order up.',
  tools: { find_order: findOrder },
})

const summary = z.object({ order: z.int(), amount: z.number(), text: z.string() })

const summarize = createStep({
  id: 'summarize',
  inputSchema: z.object({ order: z.int() }),
  outputSchema: summary,
  execute: async ({ inputData: { order } }) => {
    const { text, toolResults } = await summarizer.generate(`Find order ${order}.`)
    const [found] = toolResults
    const { total } = z.object({ total: z.number() }).parse(found?.payload.result ?? { total: 0 })
    return { order, amount: total, text }
  },
})

/** The step that a person approves. */
const refund = createStep({
  id: 'refund_order',
  inputSchema: summary,
  outputSchema: z.object({ order: z.int(), refunded: z.number() }),
  suspendSchema: summary,
  resumeSchema: z.object({ isApproved: z.boolean() }),
  execute: async ({ inputData, resumeData, suspend, bail }) => {
    const { order, amount } = inputData
    if (amount > 40 && !resumeData) return suspend(inputData)
    if (resumeData?.isApproved === false) return bail({ order, refunded: 0 })
    return { order, refunded: amount }
  },
})

const refundOrder = createWorkflow({
  id: 'refund-order',
  inputSchema: z.object({ order: z.int() }),
  outputSchema: z.object({ order: z.int(), refunded: z.number() }),
})
  .then(summarize)
  .then(refund)
  .commit()

const mastra = new Mastra({ workflows: { refundOrder }, storage: new InMemoryStore(), logger: false })

export async function refundOrders(log: (line: string) => void): Promise<void> {
  for (const [order, isApproved] of [
    [7, true],
    [8, false],
  ] as const) {
    const workflow = mastra.getWorkflow('refundOrder')
    const run = await workflow.createRun()
    const asked = await run.start({ inputData: { order } })
    if (asked.status !== 'suspended') throw new Error(`The workflow is ${asked.status}.`)
    const { text, ...shown } = summary.parse(asked.steps.refund_order?.suspendPayload)
    log(text)
    log(`waits: refund_order ${JSON.stringify(shown)}`)
    // Later, perhaps in another process, with storage that both processes can reach.
    const later = await workflow.createRun({ runId: run.runId })
    const done = await later.resume({ step: refund, resumeData: { isApproved } })
    log(done.status === 'success' ? `refunded ${done.result.refunded}` : done.status)
  }
}
