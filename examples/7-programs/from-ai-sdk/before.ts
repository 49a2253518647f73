// The program with the AI SDK 7.
import '../../local-service.js'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, type ModelMessage, Output, streamText, tool } from 'ai'
import * as z from 'zod'

const provider = createOpenAICompatible({
  name: 'local',
  baseURL: process.env.OPENAI_BASE_URL ?? '',
  apiKey: process.env.OPENAI_API_KEY ?? '',
  supportsStructuredOutputs: true,
})
const model = provider('planner')

const tools = {
  find_order: tool({
    description: 'Finds an order by its number',
    inputSchema: z.object({ order: z.int() }),
    execute: async ({ order }) => ({ order, status: 'paid' }),
  }),
  cancel_order: tool({
    description: 'Cancels an order for good',
    inputSchema: z.object({ order: z.int() }),
    execute: async ({ order }) => ({ order, cancelled: true }),
  }),
}

export async function before(log: (line: string) => void): Promise<void> {
  const instructions = 'You answer customers of a shop.'
  const toolApproval = { cancel_order: 'user-approval' } as const
  const settings = { model, instructions, tools, toolApproval, stopWhen: isStepCount(5) }
  const messages: ModelMessage[] = [{ role: 'user', content: 'Find order 7, then cancel order 7.' }]

  // The run stops at the call that needs approval.
  const asked = await generateText({ ...settings, messages })
  messages.push(...asked.responseMessages)
  for (const part of asked.content) {
    if (part.type !== 'tool-approval-request') continue
    log(`approve ${part.toolCall.toolName} ${JSON.stringify(part.toolCall.input)}`)
    messages.push({
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }],
    })
  }

  // It continues with the full conversation, streamed.
  const run = streamText({ ...settings, messages })
  let text = ''
  for await (const part of run.stream) {
    if (part.type === 'tool-result') log(`${part.toolName} ${JSON.stringify(part.output)}`)
    if (part.type === 'text-delta') text += part.text
  }
  log(text)
  messages.push(...(await run.responseMessages))

  // A typed value.
  const { output } = await generateText({
    model,
    output: Output.object({ schema: z.object({ order: z.int(), cancelled: z.boolean() }) }),
    messages: [...messages, { role: 'user', content: 'Report order 7 as cancelled: true.' }],
  })
  log(`order ${output.order}, cancelled ${output.cancelled}`)
}
