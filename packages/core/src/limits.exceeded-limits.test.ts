import { expect, test } from 'vitest'
import { stateOf } from '../test/run-of.js'
import { exceededLimits } from './limits.js'
import type { Limits } from './types/state.js'
import { noUsage, type Usage } from './usage.js'

test.each<[Limits, Partial<Usage>, readonly string[]]>([
  [{}, { totalTokens: 1e9, cost: 'unknown' }, []],
  [{ tokens: 100 }, { totalTokens: 100 }, []],
  [{ tokens: 100 }, { totalTokens: 101 }, ['tokens']],
  [{ cost: 1 }, { cost: 1 }, []],
  [{ cost: 1 }, {}, []],
  [{ cost: 1 }, { cost: 1.01 }, ['cost']],
  [{ cost: 1 }, { cost: 'unknown' }, ['cost']],
  [{ cost: 0.3 }, { cost: 0.1 + 0.2 }, []],
  [{ tokens: 1, cost: 1, steps: 1 }, { totalTokens: 2, cost: 2, requests: 9 }, ['tokens', 'cost']],
])('of the limits %j the usage %j exceeds %j', (limits, used, names) => {
  expect(exceededLimits(stateOf([], { limits, usage: { ...noUsage, ...used } }))).toEqual(names)
})
