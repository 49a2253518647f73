import { expect, test } from 'vitest'
import { allowOnly, askOncePerTool, budget, readOnly } from '../features/policies.js'
import { noUsage } from '../usage.js'
import type { PolicyCall, PolicyView } from './policies.js'

const call = (name: string, readsOnly = false): PolicyCall => ({
  callId: 'c',
  name,
  arguments: {},
  readsOnly,
})
const view = (changes: Partial<PolicyView> = {}): PolicyView => ({
  context: undefined,
  runId: 'r',
  step: 0,
  usage: noUsage,
  approved: [],
  ...changes,
})

test('allowOnly allows the named tools, denies others and lists the allowed', () => {
  const policy = allowOnly(['a', 'b'])
  expect(policy(call('a'), view())).toEqual({ type: 'allow' })
  expect(policy(call('c'), view())).toEqual({ type: 'deny', reason: 'only these tools can run: a, b.' })
  expect(allowOnly([])(call('a'), view())).toEqual({
    type: 'deny',
    reason: 'only these tools can run: none.',
  })
})

test('readOnly allows tools whose effects are read', () => {
  expect(readOnly()(call('a', true), view())).toEqual({ type: 'allow' })
  expect(readOnly()(call('a'), view())).toEqual({
    type: 'deny',
    reason: '"a" can change data, and this run is read-only.',
  })
})

test.each([
  [{ toolCalls: 2 }, { toolCalls: 1 }, 'allow'],
  [{ toolCalls: 2 }, { toolCalls: 2 }, 'ask'],
  [{ toolCalls: 2 }, { toolCalls: 3 }, 'ask'],
  [{ images: 0 }, {}, 'ask'],
  [{ toolCalls: 9, images: 1 }, { toolCalls: 1, images: 1 }, 'ask'],
  [{ cost: 5 }, {}, 'allow'],
  [{ cost: 0.5 }, {}, 'allow'],
  [{ cost: 5 }, { cost: 4.9 }, 'allow'],
  [{ cost: 5 }, { cost: 5 }, 'ask'],
  [{ cost: 5 }, { cost: 'unknown' as const }, 'ask'],
  [{ totalTokens: 9 }, { cost: 'unknown' as const }, 'allow'],
  [{}, { toolCalls: 1000 }, 'allow'],
])('a budget of %j with usage %j returns %s', (bounds, used, verdict) => {
  const said = budget(bounds)(call('a', true), view({ usage: { ...noUsage, ...used } }))
  expect(said).toMatchObject({ type: verdict })
})

test('a budget names the limit that is used up', () => {
  const usage = { ...noUsage, toolCalls: 1, images: 3 }
  expect(budget({ toolCalls: 9, images: 3 })(call('a'), view({ usage }))).toEqual({
    type: 'ask',
    reason: `The run's budget (images: 3) is used up.`,
  })
})

test('ignores an undefined limit of a budget', () => {
  const bounds = { toolCalls: undefined } as unknown as { toolCalls: number }
  expect(budget(bounds)(call('a'), view({ usage: { ...noUsage, toolCalls: 9 } }))).toEqual({ type: 'allow' })
})

test('askOncePerTool asks for tools that may change things until a call was approved', () => {
  const policy = askOncePerTool()
  expect(policy(call('a'), view())).toEqual({
    type: 'ask',
    reason: '"a" is used for the first time in this run.',
  })
  expect(policy(call('a'), view({ approved: ['b'] }))).toMatchObject({ type: 'ask' })
  expect(policy(call('a'), view({ approved: ['b', 'a'] }))).toEqual({ type: 'allow' })
  expect(policy(call('a', true), view())).toEqual({ type: 'allow' })
})
