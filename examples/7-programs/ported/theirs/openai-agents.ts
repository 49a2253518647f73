// The three programs with @openai/agents 0.20.0. Run by hand: its packages are not installed here.
// #region setup
import { Agent, RunState, run, tool } from '@openai/agents'
import * as z from 'zod'

// The URL and the key come from the environment.
const model = 'planner'
// #endregion

// #region steps
const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number',
  parameters: z.object({ order: z.int() }),
  execute: ({ order }) => ({ order, status: 'paid' }),
})

const agent = new Agent({
  name: 'shop',
  model,
  instructions: 'You answer customers of a shop.',
  tools: [findOrder],
})

export async function steps(log: (line: string) => void): Promise<void> {
  const result = await run(agent, 'Find order 7.', { maxTurns: 5 })
  for (const { output, usage } of result.rawResponses) {
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [item.name] : []))
    log(`${calls.join(', ') || 'no calls'}, tokens counted: ${usage.totalTokens > 0}`)
  }
  const { totalTokens } = result.state.usage
  log(`${result.rawResponses.length} steps, all tokens counted: ${totalTokens > 0}`)
  log(result.finalOutput ?? '')
}
// #endregion

// #region output
const reporter = new Agent({
  name: 'reporter',
  model,
  outputType: z.object({ order: z.int(), cancelled: z.boolean() }),
})

export async function output(log: (line: string) => void): Promise<void> {
  const { finalOutput } = await run(reporter, 'Give the final answer for order 7, cancelled true.')
  if (!finalOutput) throw new Error('The run has no output.')
  log(`order ${finalOutput.order}, cancelled ${finalOutput.cancelled}`)
}
// #endregion

// #region approval
const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancels an order for good',
  parameters: z.object({ order: z.int() }),
  needsApproval: true,
  execute: ({ order }) => ({ order, cancelled: true }),
})

const canceller = new Agent({ name: 'canceller', model, tools: [cancelOrder] })

export async function approval(log: (line: string) => void): Promise<void> {
  const asked = await run(canceller, 'Cancel order 7.')
  const stored = asked.state.toString()

  // Later, perhaps in another process.
  const state = await RunState.fromString(canceller, stored)
  for (const item of state.getInterruptions()) {
    log(`approve ${item.name} ${item.arguments}`)
    state.approve(item)
  }
  const result = await run(canceller, state, { stream: true })
  let text = ''
  for await (const event of result) {
    if (event.type === 'run_item_stream_event' && event.item.type === 'tool_call_output_item')
      log(`cancel_order ${JSON.stringify(event.item.output)}`)
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
      text += event.data.delta
  }
  await result.completed
  log(text)
}
// #endregion
