import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { alignSteps, type ComparedStep, compareSteps } from './compare-steps.js'

function step(call: string | undefined, fields: Partial<ComparedStep> = {}): ComparedStep {
  return {
    at: 'step0/request',
    request: { model: 'm', instructions: 'i', messages: [], tools: [] },
    reply: { text: call ? '' : 'words', calls: call ? [{ name: call, arguments: {} }] : [] },
    results: call ? [{ name: call, status: 'ok', content: '1' }] : [],
    artifacts: [],
    ...fields,
  }
}

const pairs = (a: readonly ComparedStep[], b: readonly ComparedStep[]) =>
  alignSteps(a, b).map(({ a, b }) => [a, b])

test('equal runs are the same; the order of fields does not count', () => {
  const a = [
    step('x', { request: { messages: [{ role: 'user', content: 'c' }], tools: [] } }),
    step(undefined),
  ]
  const b = [
    step('x', { request: { tools: [], messages: [{ content: 'c', role: 'user' }] } }),
    step(undefined),
  ]
  expect(compareSteps(a, b)).toEqual({
    isSame: true,
    pairs: [
      { a: 0, b: 0, differences: [] },
      { a: 1, b: 1, differences: [] },
    ],
    totals: {},
  })
})

test('after the first difference steps are aligned by the names of their calls', () => {
  const changed = step('edit', { request: { messages: ['other'], tools: [] } })
  expect(
    pairs([step('a'), step('edit'), step('speak'), step(undefined)], [step('a'), changed, step(undefined)]),
  ).toEqual([
    [0, 0],
    [1, 1],
    [2, undefined],
    [3, 2],
  ])
})

describe('the first difference', () => {
  const base = step('x')
  test.each([
    ['model', step('x', { request: { ...base.request, model: 'n' } })],
    ['instructions', step('x', { request: { ...base.request, instructions: 'j' } })],
    ['tools', step('x', { request: { ...base.request, tools: ['t'] } })],
    ['settings', step('x', { request: { ...base.request, settings: { temperature: 0 } } })],
    ['messages', step('x', { request: { ...base.request, messages: ['m'] } })],
    ['text', step('x', { reply: { text: 'w', calls: base.reply?.calls ?? [] } })],
    ['calls', step('x', { reply: { text: '', calls: [{ name: 'x', arguments: { a: 1 } }] } })],
    ['results', step('x', { results: [{ name: 'x', status: 'error', content: '1' }] })],
    ['artifacts', step('x', { artifacts: ['img_1'] })],
  ])('%s', (part, other) => {
    const { first, isSame } = compareSteps([step('a'), base], [step('a'), other])
    expect(isSame).toBe(false)
    expect(first).toMatchObject({ pair: 1, difference: { part } })
  })
})

test('times, tokens and costs are summed, and are no difference', () => {
  const { isSame, totals } = compareSteps(
    [step('a', { ms: 10, tokens: 3, cost: 1 })],
    [step('a', { ms: 20, tokens: 4 })],
  )
  expect(isSame).toBe(true)
  expect(totals).toEqual({ ms: { a: 10, b: 20 }, tokens: { a: 3, b: 4 }, cost: { a: 1, b: 0 } })
})

test('any two runs: every step is there once, in order, and exchanging the runs exchanges the sides', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  const run = () => Array.from({ length: random(9) }, () => step(['a', 'b', 'c', undefined][random(4)]))
  for (let round = 0; round < 500; round++) {
    const [a, b] = [run(), run()]
    const aligned = alignSteps(a, b)
    expect(aligned.flatMap((pair) => pair.a ?? [])).toEqual(a.map((_, at) => at))
    expect(aligned.flatMap((pair) => pair.b ?? [])).toEqual(b.map((_, at) => at))
    expect(pairs(b, a)).toEqual(pairs(a, b).map(([left, right]) => [right, left]))
  }
})

test('loads nothing, so that a page can bundle it', () => {
  const source = readFileSync(new URL('compare-steps.ts', import.meta.url), 'utf8')
  expect(source).not.toMatch(/^import /m)
})
