import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import * as z from 'zod'

const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: clear`,
})
const agent = new Agent({ model: 'gpt-5-mini', tools: [getWeather] })

test('looks up the weather', async () => {
  const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Clear in Oslo.')])
  const result = await agent.run('What is the weather in Oslo?', { model })
  expect(result).toHaveCalledTool('get_weather', { city: 'Oslo' })
  expect(result.text).toBe('Clear in Oslo.')
})
