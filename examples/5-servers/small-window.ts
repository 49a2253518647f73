// A server with a small context window: it silently drops what does not fit, and the run reports it.
import { Agent, chatModel, type Message, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const report = 'Light wind from the west, a few clouds, no rain until the evening, then fog near the coast. '
const forecast = tool({
  name: 'get_forecast',
  description: 'The forecast for a city.',
  parameters: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => `${city}: ${report.repeat(10)}`,
})

async function main(): Promise<void> {
  // As if the window of a local model were 1,024 tokens.
  const service = await startService({ chaos: [{ quirk: 'lost-context' }] })
  // #region agent
  const agent = new Agent({
    model: chatModel('planner', service),
    tools: [forecast],
    onContextLost: 'warn',
    observe(event) {
      if (event.type === 'context-lost')
        console.log(`context lost: read ${event.reported} of about ${event.sent}, window ${event.window}`)
    },
  })
  // #endregion
  let messages: readonly Message[] = []
  for (const city of ['Oslo', 'Rome', 'Paris', 'Lima', 'Cairo']) {
    const question = { role: 'user' as const, content: `What is the forecast for ${city}?` }
    const result = await agent.run([...messages, question])
    console.log(`${city}: ${result.stopReason}, ${result.usage.inputTokens} tokens read`)
    for (const warning of result.warnings ?? []) console.log(warning)
    messages = result.messages
  }
  await service.close()
}

main()
