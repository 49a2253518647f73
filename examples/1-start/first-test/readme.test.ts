// The test of the README.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})
const agent = new Agent({ model: 'gpt-5-mini', tools: [weather] })

// #region test
import { reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'

test('looks up the weather', async () => {
  const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Snow.')])
  const result = await agent.run('Is it snowing in Oslo?', { model })
  expect(result).toHaveCalledTools(['get_weather'])
  expect(result.text).toBe('Snow.')
})
// #endregion
