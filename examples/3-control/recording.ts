// A run is recorded, explained, and repeated without a model: as a test of the agent, which needs no key and no network.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, chatModel, tool } from '@capstan/core'
import { explain, recordRun, replayRun } from '@capstan/core/testing'
import { startService } from '@capstan/service'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  execute: ({ city }) => ({ city, degrees: city.length }),
})

async function main(): Promise<void> {
  const service = await startService()
  const folder = mkdtempSync(join(tmpdir(), 'capstan-'))
  const file = join(folder, 'weather.jsonl')

  // #region record
  const agent = new Agent({ model: chatModel('planner', service), tools: [weather] })
  await agent.run('What is the weather in Oslo and in Rome?', recordRun(file))
  // #endregion
  await service.close()

  // #region explain
  console.log(explain(file))
  // #endregion

  // #region replay
  const [again] = await replayRun(file, { agent })
  console.log(again?.text)
  // #endregion

  // The same answers of the model, and another agent: what differs is told.
  const other = new Agent({
    model: chatModel('planner', service),
    instructions: 'Be brief.',
    tools: [weather],
  })
  await replayRun(file, { agent: other }).catch(({ message }) => console.log(message.replace(file, 'FILE')))
  rmSync(folder, { recursive: true })
}

main()
