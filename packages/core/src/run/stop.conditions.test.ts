import { expect, test } from 'vitest'
import { allOf, anyOf, hasCalled, noneOf } from '../features/stop-when.js'
import type { ResultStatus } from '../types/state.js'
import { noUsage } from '../usage.js'
import type { Progress } from './feature.js'

const progress = (...calls: readonly [name: string, status: ResultStatus][]): Progress => ({
  stepCount: 2,
  usage: noUsage,
  toolCalls: calls.map(([name, status]) => ({
    name,
    status,
    callId: 'c',
    step: 0,
    arguments: {},
    content: '',
    ms: 0,
  })),
})
const yes = () => true
const no = () => false

test.each([
  [allOf(), true],
  [allOf(yes, yes), true],
  [allOf(yes, no), false],
  [anyOf(), false],
  [anyOf(no, yes), true],
  [anyOf(no, no), false],
  [noneOf(yes), false],
  [noneOf(no), true],
  [noneOf(no, no), true],
  [noneOf(no, yes), false],
  [allOf(anyOf(no, yes), noneOf(no)), true],
])('conditions hold as logic says (%#)', (condition, holds) => {
  expect(condition(progress())).toBe(holds)
})

test('each condition is told how far the run is', () => {
  const now = progress()
  const atStep = (count: number) => (given: Progress) => given === now && given.stepCount === count
  expect(allOf(atStep(2), noneOf(atStep(3)), anyOf(atStep(3), atStep(2)))(now)).toBe(true)
})

test('a tool has been called once a call of it has succeeded', () => {
  const condition = hasCalled('submit')
  expect(condition(progress())).toBe(false)
  expect(condition(progress(['submit', 'error'], ['submit', 'rejected'], ['other', 'ok']))).toBe(false)
  expect(condition(progress(['submit', 'error'], ['submit', 'ok']))).toBe(true)
})
