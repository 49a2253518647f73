import { expect, test } from 'vitest'
import { noUsage, withRequest } from './usage.js'

test('each answered request is counted, with its tokens', () => {
  const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 17 }
  const usage = withRequest(withRequest({ ...noUsage, toolCalls: 3 }, tokens), tokens)
  expect(usage).toEqual({
    requests: 2,
    unreported: 0,
    inputTokens: 20,
    outputTokens: 10,
    totalTokens: 34,
    toolCalls: 3,
    repairs: 0,
  })
})

test('a request whose tokens nobody named is counted as such, and adds none', () => {
  expect(withRequest(noUsage, undefined)).toEqual({ ...noUsage, requests: 1, unreported: 1 })
})

test('counting leaves the usage before as it was', () => {
  const before = Object.freeze({ ...noUsage })
  expect(withRequest(before, undefined)).not.toBe(before)
  expect(before).toEqual(noUsage)
})
