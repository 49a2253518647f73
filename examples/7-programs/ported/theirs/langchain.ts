// The three programs with langchain 1.5.14 and @langchain/openai 1.6.0. Run by hand: they are not installed here.
// #region setup
import { Command, MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import {
  AIMessage,
  AIMessageChunk,
  createAgent,
  type HITLRequest,
  humanInTheLoopMiddleware,
  ToolMessage,
  tool,
} from 'langchain'
import * as z from 'zod'

// The URL and the key come from the environment.
const model = new ChatOpenAI({ model: 'planner' })
// #endregion

// #region steps
const findOrder = tool(({ order }) => ({ order, status: 'paid' }), {
  name: 'find_order',
  description: 'Finds an order by its number',
  schema: z.object({ order: z.int() }),
})

const agent = createAgent({ model, systemPrompt: 'You answer customers of a shop.', tools: [findOrder] })

export async function steps(log: (line: string) => void): Promise<void> {
  const input = { messages: [{ role: 'user', content: 'Find order 7.' }] }
  // A reply and its tool calls are two steps of the graph.
  const { messages } = await agent.invoke(input, { recursionLimit: 10 })
  const replies = messages.filter((message) => AIMessage.isInstance(message))
  let total = 0
  for (const { tool_calls = [], usage_metadata } of replies) {
    const tokens = usage_metadata?.total_tokens ?? 0
    total += tokens
    log(`${tool_calls.map(({ name }) => name).join(', ') || 'no calls'}, tokens counted: ${tokens > 0}`)
  }
  log(`${replies.length} steps, all tokens counted: ${total > 0}`)
  log(replies.at(-1)?.text ?? '')
}
// #endregion

// #region output
const reporter = createAgent({
  model,
  tools: [],
  responseFormat: z.object({ order: z.int(), cancelled: z.boolean() }),
})

export async function output(log: (line: string) => void): Promise<void> {
  const question = 'Give the final answer for order 7, cancelled true.'
  const { structuredResponse } = await reporter.invoke({ messages: [{ role: 'user', content: question }] })
  log(`order ${structuredResponse.order}, cancelled ${structuredResponse.cancelled}`)
}
// #endregion

// #region approval
const cancelOrder = tool(({ order }) => ({ order, cancelled: true }), {
  name: 'cancel_order',
  description: 'Cancels an order for good',
  schema: z.object({ order: z.int() }),
})

const canceller = createAgent({
  model,
  tools: [cancelOrder],
  middleware: [humanInTheLoopMiddleware({ interruptOn: { cancel_order: true } })],
  // The state stays here; another process needs a checkpointer with a database.
  checkpointer: new MemorySaver(),
})

export async function approval(log: (line: string) => void): Promise<void> {
  const config = { configurable: { thread_id: 'order-7' } }
  const asked = await canceller.invoke({ messages: [{ role: 'user', content: 'Cancel order 7.' }] }, config)
  const decisions: { type: 'approve' }[] = []
  const interrupts = (asked as { __interrupt__?: { value: HITLRequest }[] }).__interrupt__ ?? []
  for (const { value } of interrupts) {
    for (const { name, args } of value.actionRequests) {
      log(`approve ${name} ${JSON.stringify(args)}`)
      decisions.push({ type: 'approve' })
    }
  }
  const resumed = new Command({ resume: { decisions } })
  let text = ''
  for await (const [message] of await canceller.stream(resumed, { ...config, streamMode: 'messages' })) {
    if (ToolMessage.isInstance(message)) log(`${message.name} ${message.text}`)
    if (AIMessageChunk.isInstance(message)) text += message.text
  }
  log(text)
}
// #endregion
