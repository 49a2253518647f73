// Tools with schemas of both classes of zod: an agent calls them, and arguments that do not match are rejected.
import assert from 'node:assert/strict'
import { Agent, chatModel, tool } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import * as z4 from 'zod/v4'

for (const { object, string } of [z, z3, z4]) {
  const getWeather = tool({
    name: 'get_weather',
    description: 'Returns the current weather of a city',
    parameters: zod3(object({ city: string().min(2).describe('Name of the city') })),
    execute: ({ city }) => `${city}: light snow`,
  })
  const agent = new Agent({ model: chatModel('planner'), tools: [getWeather] })
  const { text } = await agent.run('What is the weather in Oslo?')
  assert.match(text, /Oslo: light snow/)

  const model = scriptedModel([reply.call('get_weather', { city: 'O' }), reply.text('Which city?')])
  const { toolCalls } = await agent.run('What is the weather?', { model })
  assert.equal(toolCalls[0].status, 'rejected')
}
