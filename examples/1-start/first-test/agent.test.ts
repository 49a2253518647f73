import { call, scriptedModel, text } from '@capstan/testing'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import { painter } from './weather-painter.js'

test('it draws the weather that it looked up', async () => {
  const look = call('get_weather', { city: 'Oslo' })
  const model = scriptedModel([look, call('draw', { prompt: 'a clear sky' }), text('Here it is.')])
  const result = await painter.run('Draw the weather in Oslo.', { model })
  expect(result).toHaveCalledTools(['get_weather', 'draw'])
  expect(result).toHaveProducedImage({ width: 320 })
})
