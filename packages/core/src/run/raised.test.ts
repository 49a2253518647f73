import { expect, test } from 'vitest'
import { stateOf } from '../../test/plan.js'
import type { ChildRun, Limits } from '../words/state.js'
import { raised } from './raised.js'

const waiting = (limits: Limits, children?: Record<number, ChildRun>): ChildRun => ({
  state: stateOf([], { limits, ...(children ? { children } : {}) }),
  round: 1,
})
const limitsOf = (children: Record<number, ChildRun>) =>
  Object.values(children).map((one) => one.state.limits)

test('agents that wait share what a limit was raised by, the first getting what cannot be parted', () => {
  const children = { 0: waiting({ images: 1, cost: 2 }), 3: waiting({ images: 0, cost: 1 }) }
  const change = { before: { images: 3, cost: 4 }, now: { images: 6, cost: 5 } }
  expect(limitsOf(raised(children, change))).toEqual([
    { images: 3, cost: 2.5 },
    { images: 1, cost: 1.5 },
  ])
})

test('more time is there for each of them, and steps are their own', () => {
  const children = { 0: waiting({ seconds: 10, steps: 4 }), 1: waiting({ seconds: 20 }) }
  const change = { before: { seconds: 30, steps: 5 }, now: { seconds: 60, steps: 9 } }
  expect(limitsOf(raised(children, change))).toEqual([{ seconds: 40, steps: 4 }, { seconds: 50 }])
})

test('a bound that is lifted is lifted for them, one that is new bounds them, a lower one leaves less', () => {
  const children = { 0: waiting({ tokens: 100, images: 2, perTool: { f: 1, g: 1 } }) }
  const before = { tokens: 500, images: 5, perTool: { f: 2, g: 2 } }
  const now = { images: 2, toolCalls: 8, perTool: { f: 4, h: 3 } }
  const limits = { images: 0, toolCalls: 8, perTool: { f: 3, h: 3 } }
  expect(limitsOf(raised(children, { before, now }))).toEqual([limits])
})

test('agents further down get their share as well', () => {
  const inner = { 0: waiting({ images: 1 }), 1: waiting({ images: 1 }) }
  const [one] = Object.values(
    raised({ 0: waiting({ images: 3 }, inner) }, { before: { images: 3 }, now: { images: 7 } }),
  )
  expect(limitsOf(one?.state.children ?? {})).toEqual([{ images: 3 }, { images: 3 }])
})

test('nothing changes when nothing was changed', () => {
  const children = { 0: waiting({ images: 1, perTool: { f: 1 } }) }
  const limits = { images: 3, perTool: { f: 2 } }
  expect(raised(children, { before: limits, now: limits })).toEqual(children)
})
