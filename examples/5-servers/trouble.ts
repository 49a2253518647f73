// Fault injection: the service breaks replies on purpose, and the agent still completes its task.
import { Agent, chatModel, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 21 degrees`,
})

async function main(): Promise<void> {
  const lines: string[] = []
  const path = '/v1/chat/completions'
  const service = await startService({
    // #region chaos
    chaos: [
      { quirk: 'cut-body', path, nth: 1 },
      { quirk: 'overloaded', path, nth: 2 },
      { quirk: 'object-arguments', path, nth: 3 },
    ],
    // #endregion
    log: (line) => lines.push(line.split(' ').slice(0, 3).join(' ')),
  })
  const agent = new Agent({ model: chatModel('planner', service), tools: [weather] })
  const { text } = await agent.run('What is the weather in Paris?')
  console.log(text)
  await service.close()
  console.log(lines.join('\n'))
}

main()
