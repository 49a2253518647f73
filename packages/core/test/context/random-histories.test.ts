import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { playHistory } from './random-histories.js'

test('random histories under random bounds: strict servers accept each request, within its bound, and nothing is lost', async () => {
  const found: unknown[] = []
  let trims = 0
  for (let seed = 1; seed <= cases(1000, 3); seed++) {
    const { faults, log, ...counts } = await playHistory(seed)
    trims += counts.trims
    if (faults.length > 0) found.push({ seed, faults, log })
  }
  expect(found).toEqual([])
  expect(trims).toBeGreaterThan(cases(1000, 3))
}, 1_200_000)
