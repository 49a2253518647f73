import { expect } from 'vitest'
import { test, usePostgres } from '../postgres.js'
import { finder, found } from '../search-runs.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

test('a stored run has the tools that it has found', async () => {
  const runs = kept(finder)
  await working(runs)
  const { text, state } = await runs.run('Go.')
  expect(text).toBe(found)
  expect(state.kept['tool-search']).toEqual({ revealed: { finder: ['send_mail'] } })
})
