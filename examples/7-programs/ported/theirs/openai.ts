// The three programs with the package `openai` alone. Other files of this folder need packages that are not installed.
import '../../../local-service.js'
// #region setup
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import * as z from 'zod'

// The URL and the key come from the environment.
const client = new OpenAI()
const model = 'planner'
// #endregion

// #region steps
const order = z.object({ order: z.int() })

export async function steps(log: (line: string) => void): Promise<void> {
  const run = client.chat.completions.runTools(
    {
      model,
      messages: [
        { role: 'system', content: 'You answer customers of a shop.' },
        { role: 'user', content: 'Find order 7.' },
      ],
      tools: [
        zodFunction({
          name: 'find_order',
          description: 'Finds an order by its number',
          parameters: order,
          function: ({ order }) => ({ order, status: 'paid' }),
        }),
      ],
    },
    { maxChatCompletions: 5 },
  )
  const text = await run.finalContent()
  const replies = run.allChatCompletions()
  for (const { choices, usage } of replies) {
    const calls = choices[0]?.message.tool_calls ?? []
    const names = calls.map((call) => (call.type === 'function' ? call.function.name : call.type))
    log(`${names.join(', ') || 'no calls'}, tokens counted: ${(usage?.total_tokens ?? 0) > 0}`)
  }
  const { total_tokens } = await run.totalUsage()
  log(`${replies.length} steps, all tokens counted: ${total_tokens > 0}`)
  log(text ?? '')
}
// #endregion

// #region output
const report = z.object({ order: z.int(), cancelled: z.boolean() })

export async function output(log: (line: string) => void): Promise<void> {
  const reply = await client.chat.completions.parse({
    model,
    messages: [{ role: 'user', content: 'Give the final answer for order 7, cancelled true.' }],
    response_format: zodResponseFormat(report, 'report'),
  })
  const value = reply.choices[0]?.message.parsed
  if (!value) throw new Error('The reply has no report.')
  log(`order ${value.order}, cancelled ${value.cancelled}`)
}
// #endregion

// #region approval
const cancelOrder = zodFunction({
  name: 'cancel_order',
  description: 'Cancels an order for good',
  parameters: order,
})

export async function approval(log: (line: string) => void): Promise<void> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Cancel order 7.' }]
  // You write the loop: send a request, hold its calls until they are approved, add the results, send the next one.
  const first = await client.chat.completions.create({ model, messages, tools: [cancelOrder] })
  const asked = first.choices[0]?.message
  if (!asked) throw new Error('The reply has no message.')
  messages.push(asked)
  const stored = JSON.stringify(messages)

  // Later, perhaps in another process.
  const resumed: OpenAI.ChatCompletionMessageParam[] = JSON.parse(stored)
  for (const call of asked.tool_calls ?? []) {
    if (call.type !== 'function') continue
    log(`approve ${call.function.name} ${call.function.arguments}`)
    const parsed = order.parse(JSON.parse(call.function.arguments))
    const content = JSON.stringify({ order: parsed.order, cancelled: true })
    resumed.push({ role: 'tool', tool_call_id: call.id, content })
    log(`${call.function.name} ${content}`)
  }
  const stream = client.chat.completions.stream({ model, messages: resumed, tools: [cancelOrder] })
  let text = ''
  stream.on('content', (delta) => {
    text += delta
  })
  await stream.done()
  log(text)
}
// #endregion
