// A durable run on PostgreSQL, by DBOS and pg.
import assert from 'node:assert/strict'
import { Agent, chatModel, jsonSchema, tool } from '@capstan/core'
import { durable, startWorker } from '@capstan/durable/dbos'

const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the current weather of a city',
  parameters: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  execute: ({ city }) => `${city}: light snow`,
})
const agent = new Agent({ name: 'forecaster', model: chatModel('planner'), tools: [getWeather] })
const forecaster = durable(agent, { database: process.env.DATABASE_URL })
const worker = await startWorker([forecaster])
const { text } = await forecaster.run('What is the weather in Oslo?')
assert.match(text, /light snow/)
await worker.close()
await forecaster.close()
