import { expect } from 'vitest'
import { artist, outcomes, toldIn } from '../background-runs.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

test('a stored run has the outcomes of background calls, also those that came too late', async () => {
  const runs = kept(artist)
  await working(runs)
  const { state, undelivered = [], toolCalls, steps } = await runs.run('Go.')
  expect([...toldIn(state), ...undelivered].sort()).toEqual(outcomes)
  expect(toolCalls.slice(0, 2)).toMatchObject([{ result: { of: 'cat' } }, { result: { of: 'dog' } }])
  expect(steps[0]?.toolCalls).toMatchObject(toolCalls.slice(0, 2))
})
