import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.

// #region program
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})

const agent = new Agent({ model: process.env.CAPSTAN_MODEL ?? 'gpt-5-mini', tools: [weather] })
agent.run('What is the weather in Oslo?').then(({ text }) => console.log(text))
// #endregion
