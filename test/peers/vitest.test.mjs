// The matchers of @capstan/testing, and the fixture of @capstan/service.
import { Agent, chatModel, jsonSchema, tool } from '@capstan/core'
import { test } from '@capstan/service/vitest'
import { reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect } from 'vitest'

const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the current weather of a city',
  parameters: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  execute: ({ city }) => `${city}: light snow`,
})
const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Snow.')])
const agent = new Agent({ model, tools: [getWeather] })

test('matchers', async () => {
  const result = await agent.run('What is the weather in Oslo?')
  expect(result).toHaveCalledTool('get_weather', { city: expect.any(String) })
  expect(result).toHaveCalledTools(['get_weather'])
  expect(result).toStopWith('done')
  expect(model).toBeUsedUp()
  expect(() => expect(result).toHaveCalledTool('get_weather', { city: 'Rome' })).toThrow(/Rome/)
})

test('the fixture', async ({ service }) => {
  const { text } = await agent.run('What is the weather in Oslo?', { model: chatModel('planner', service) })
  expect(text).toContain('light snow')
})
