import { expect, test } from 'vitest'
import { stateOf } from '../test/run-of.js'
import { limitBefore, workSeconds } from './limits.js'
import type { Flags, Limits, RunState } from './types/state.js'
import { noUsage, type Usage } from './usage.js'

interface Standing {
  readonly used?: Partial<Usage>
  readonly flags?: Flags
  readonly stepCount?: number
}

const standing = (limits: Limits, { used = {}, flags = {}, stepCount = 1 }: Standing = {}): RunState =>
  stateOf([], { limits, usage: { ...noUsage, ...used }, flags, stepCount })

test('returns no limit without limits', () => {
  const flags = { lastRequest: { tokens: 1e9, cost: 1e9 } }
  const used = { totalTokens: 1e9, seconds: 1e9, cost: 'unknown' as const }
  expect(limitBefore(standing({}, { stepCount: 1e9, used, flags }))).toBeUndefined()
})

test.each([
  [2, 3, undefined],
  [3, 3, 'steps'],
  [4, 3, 'steps'],
  [0, 0, 'steps'],
])('after %i of %i steps the limit is %s', (stepCount, steps, limit) => {
  expect(limitBefore(standing({ steps }, { stepCount }))).toBe(limit)
})

test.each([
  [750, undefined],
  [751, 'tokens'],
])(
  'tokens keep room for two and a half requests like the last: at %i of 1000 the limit is %s',
  (totalTokens, limit) => {
    const flags = { lastRequest: { tokens: 100, cost: 0 } }
    expect(limitBefore(standing({ tokens: 1000 }, { used: { totalTokens }, flags }))).toBe(limit)
  },
)

test.each([
  [7.5, undefined],
  [7.51, 'cost'],
  ['unknown' as const, 'cost'],
  [undefined, undefined],
])('so do costs: at %s of 10 the limit is %s', (cost, limit) => {
  const flags = { lastRequest: { tokens: 0, cost: 1 } }
  const used = cost === undefined ? {} : { cost }
  expect(limitBefore(standing({ cost: 10 }, { used, flags }))).toBe(limit)
})

test('ignores the size of the first request', () => {
  expect(limitBefore(standing({ tokens: 2, cost: 1 }))).toBeUndefined()
})

test.each([
  [7.9, undefined],
  [8, 'seconds'],
])(
  'a fifth of the time is kept for the final answer: after %d of 10 seconds the limit is %s',
  (seconds, limit) => {
    expect(limitBefore(standing({ seconds: 10 }, { used: { seconds } }))).toBe(limit)
  },
)

test('reserves 30 s of a long time and none of unlimited time', () => {
  expect(workSeconds(100)).toBe(80)
  expect(workSeconds(150)).toBe(120)
  expect(workSeconds(600)).toBe(570)
  expect(workSeconds(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
})

test('returns the first of steps, tokens, cost, seconds', () => {
  const used = { totalTokens: 9, cost: 9, seconds: 9 }
  expect(limitBefore(standing({ steps: 1, tokens: 1, cost: 1, seconds: 1 }, { used }))).toBe('steps')
  expect(limitBefore(standing({ tokens: 1, cost: 1, seconds: 1 }, { used }))).toBe('tokens')
  expect(limitBefore(standing({ cost: 1, seconds: 1 }, { used }))).toBe('cost')
})
