import { expect, test } from 'vitest'
import {
  addCalls,
  addRequests,
  addUsage,
  type CountedRequest,
  copyOfUsage,
  noUsage,
  type Usage,
} from './usage.js'

/** A usage with one request more. */
function withRequest(usage: Usage, request: Omit<CountedRequest, 'model'>): Usage {
  const sum = copyOfUsage(usage)
  addRequests(sum, [{ ...request, model: 'm' }])
  return sum
}

function withCalls(usage: Usage, calls: Parameters<typeof addCalls>[1]): Usage {
  const sum = copyOfUsage(usage)
  addCalls(sum, calls)
  return sum
}

function withUsage(usage: Usage, more: Usage): Usage {
  const sum = copyOfUsage(usage)
  addUsage(sum, more)
  return sum
}

test('counts each request with its tokens', () => {
  const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 17 }
  const answered = { tokens, reported: true, repairs: 1 }
  expect(withRequest(withRequest({ ...noUsage, toolCalls: 3 }, answered), answered)).toEqual({
    ...noUsage,
    requests: 2,
    inputTokens: 20,
    outputTokens: 10,
    totalTokens: 34,
    toolCalls: 3,
    repairs: 2,
  })
})

test('counts a request without token counts as unreported', () => {
  expect(withRequest(noUsage, { reported: false })).toEqual({ ...noUsage, requests: 1, unreported: 1 })
  const tokens = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
  expect(withRequest(noUsage, { tokens, reported: false })).toMatchObject({ unreported: 1, totalTokens: 3 })
})

test('counts calls by name, with spending and repairs', () => {
  const calls = [
    { name: 'draw', spent: [{ images: 2 }, { images: 1, characters: 5 }] },
    { name: '__proto__', repaired: true },
    { name: 'draw', spent: [{ audioSeconds: 1.5 }] },
  ]
  const usage = withCalls({ ...noUsage, toolCalls: 1, perTool: { draw: 1 }, images: 1 }, calls)
  expect(usage).toMatchObject({ toolCalls: 4, repairs: 1, images: 4, characters: 5, audioSeconds: 1.5 })
  expect(Object.entries(usage.perTool)).toEqual([
    ['draw', 3],
    ['__proto__', 1],
  ])
})

test('a copy of a usage changes by itself', () => {
  withRequest(noUsage, { reported: false })
  withCalls(noUsage, [{ name: 'f' }])
  expect(noUsage).toMatchObject({ requests: 0, toolCalls: 0, perTool: {} })
})

test('sums the parts that servers report, and has no field for those that none reports', () => {
  const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  const plain = withRequest(noUsage, { tokens, reported: true })
  expect(Object.keys(plain)).toEqual(Object.keys(noUsage))
  const cached = withRequest(plain, {
    tokens: { ...tokens, cachedInputTokens: 8, reasoningTokens: 2 },
    reported: true,
  })
  expect(cached).toMatchObject({ inputTokens: 20, cachedInputTokens: 8, reasoningTokens: 2 })
  expect(cached).not.toHaveProperty('cacheWriteTokens')
  const written = withRequest(cached, { tokens: { ...tokens, cacheWriteTokens: 3 }, reported: true })
  const both = withUsage(written, cached)
  expect(both).toMatchObject({ cachedInputTokens: 16, cacheWriteTokens: 3, reasoningTokens: 4 })
  expect(withUsage(noUsage, noUsage)).toEqual(noUsage)
  expect(withCalls(cached, [{ name: 'f', spent: [{ images: 1 }] }])).toMatchObject({ cachedInputTokens: 8 })
})
