import { ran, ranAll } from '../expectation.js'

// Most cases are about the weather in Oslo, some about Oslo's and Rome's.
export const oslo = '{"city":"Oslo"}'
export const rome = '{"city":"Rome"}'
export const ranOslo = ran('get_weather', { city: 'Oslo' })
export const ranBoth = ranAll([
  ['get_weather', { city: 'Oslo' }],
  ['get_weather', { city: 'Rome' }],
])
