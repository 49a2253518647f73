import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { playSequence } from './random-runs.js'

test('no sequence of sends, aborts, decisions, crashes and failures finds a second key or a refused history', async () => {
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const { faults, log } = await playSequence(seed)
    expect({ faults, log: faults.length > 0 ? log : [] }).toEqual({ faults: [], log: [] })
  })
  await fc.assert(property, { numRuns: cases(5000, 30), endOnFailure: true })
}, 600_000)
