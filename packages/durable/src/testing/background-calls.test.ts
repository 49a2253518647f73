import { expect, test } from 'vitest'
import { artist, checkDeaths, outcomes, toldIn } from '../../test/background-runs.js'
import { jsonHost } from '../json-host.js'
import { hostInMemory } from './journal-host.js'

test('a run that passes through JSON has the outcomes of background calls', async () => {
  const { state, undelivered = [], toolCalls } = await artist.run('go', { host: jsonHost })
  expect([...toldIn(state), ...undelivered].sort()).toEqual(outcomes)
  expect(toolCalls.slice(0, 2)).toMatchObject([{ result: { of: 'cat' } }, { result: { of: 'dog' } }])
})

test('each outcome is there once, and stored work is not repeated, wherever a worker dies', () =>
  checkDeaths(hostInMemory()))
