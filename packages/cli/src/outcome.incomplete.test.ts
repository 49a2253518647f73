import type { RunResult } from '@capstan/core'
import { expect, test } from 'vitest'
import { formatOutcome } from './outcome.js'

const usage = { requests: 1, unreported: 0, inputTokens: 1, outputTokens: 1, totalTokens: 2, toolCalls: 0 }
const linesOf = (more: object) =>
  formatOutcome({ stopReason: 'limit', limit: 'steps', stepCount: 1, usage, ...more } as RunResult)

test('an incomplete result without a text has no answer; one with a text was cut', () => {
  expect(linesOf({ text: '', incomplete: true })[0]).toBe('The model returned no text.')
  expect(linesOf({ text: 'It is', incomplete: true })[0]).toBe(
    'The reply is incomplete: the connection ended early.',
  )
  expect(linesOf({ text: 'It is.' })).toHaveLength(2)
})
