import type { RunResult } from '@capstan/core'
import { expect, test } from 'vitest'
import { formatUsage } from './outcome.js'

const usage = {
  requests: 2,
  unreported: 0,
  inputTokens: 1234,
  outputTokens: 5,
  totalTokens: 1239,
  toolCalls: 1,
}

test.each([
  [{}, 'done: 2 steps, 1 call, 1 239 tokens (1 234 in, 5 out)'],
  [{ cost: 0.00123456 }, 'done: 2 steps, 1 call, 1 239 tokens (1 234 in, 5 out), cost 0.00123'],
  [{ cost: 'unknown' }, 'done: 2 steps, 1 call, 1 239 tokens (1 234 in, 5 out), cost unknown'],
  [
    { unreported: 1 },
    'done: 2 steps, 1 call, 1 239 tokens (1 234 in, 5 out), not reported for 1 of 2 replies',
  ],
  [{ unreported: 2, totalTokens: 0 }, 'done: 2 steps, 1 call, tokens unknown'],
])('for %j, shows the usage', (more, line) => {
  const result = { stopReason: 'done', stepCount: 2, usage: { ...usage, ...more } } as RunResult
  expect(formatUsage(result)).toBe(line)
})

test('names the limit', () => {
  expect(formatUsage({ stopReason: 'limit', limit: 'steps', stepCount: 1, usage } as RunResult)).toMatch(
    /^limit \(steps\): 1 step, /,
  )
})
