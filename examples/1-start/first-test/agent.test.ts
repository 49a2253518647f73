import { reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import { painter } from './weather-painter.js'

test('it draws the weather that it looked up', async () => {
  const calls = [reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { prompt: 'a clear sky' })]
  const model = scriptedModel([...calls, reply.text('Here it is.')])
  const result = await painter.run('Draw the weather in Oslo.', { model })
  expect(result).toHaveCalledTools(['get_weather', 'draw'])
  expect(result).toHaveProducedImage({ width: 320 })
})
