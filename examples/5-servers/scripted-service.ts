// The local service with a script: exact conversations for tests, with errors on request.
import { Agent, chatModel, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const getOrder = tool({
  name: 'get_order',
  description: 'Where an order is',
  parameters: z.object({ id: z.int() }),
  execute: ({ id }) => ({ id, status: 'shipped' }),
})

// #region script
const script = {
  rules: [
    { when: 'order', error: { status: 429, message: 'Slowly.', retryAfter: 0.01 }, times: 1 },
    { when: '/^where is order \\d+/i', calls: [{ name: 'get_order', arguments: { id: 7 } }] },
    { when: { tool: 'get_order', text: 'shipped' }, answer: 'Order 7 is on its way.' },
  ],
  else: 'refuse',
} as const
// #endregion

async function main(): Promise<void> {
  const service = await startService({ script })
  const agent = new Agent({ model: chatModel('planner', service), tools: [getOrder] })

  const run = agent.stream('Where is order 7?')
  const words: string[] = []
  for await (const word of run.textStream) words.push(word)
  const { toolCalls, usage } = await run.result
  console.log(words.join(''), `(in ${words.length} pieces)`)
  console.log(toolCalls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`).join(', '))
  console.log(`${usage.requests} requests`)

  const refused: unknown = await agent.run('Sing a song').catch((error: unknown) => error)
  console.log(refused instanceof Error ? refused.message : refused)
  await service.close()
}

main()
