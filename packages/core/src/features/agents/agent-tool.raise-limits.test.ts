import { expect, test } from 'vitest'
import { stateOf } from '../../../test/run-of.js'
import type { Limits, RunState, StoredChild } from '../../types/state.js'
import { noUsage } from '../../usage.js'
import { raiseLimits } from './agent-tool.js'

const waiting = (limits: Limits, children?: Record<number, StoredChild>): StoredChild => ({
  state: stateOf([], { limits, ...(children ? { children } : {}) }),
  round: 1,
})
const runWith = (limits: Limits, children: Record<number, StoredChild>): RunState =>
  stateOf([], { limits, children })
const limitsOf = (children: Record<number, StoredChild>) =>
  Object.values(children).map((one) => one.state.limits)

test('agents that wait share what a limit was raised by, the first getting what cannot be parted', () => {
  const children = { 0: waiting({ images: 1, cost: 2 }), 3: waiting({ images: 0, cost: 1 }) }
  const run = runWith({ images: 3, cost: 4 }, children)
  expect(limitsOf(raiseLimits(run, { images: 6, cost: 5 }))).toEqual([
    { images: 3, cost: 2.5 },
    { images: 1, cost: 1.5 },
  ])
})

test('more time is there for each of them, and steps are their own', () => {
  const children = { 0: waiting({ seconds: 10, steps: 4 }), 1: waiting({ seconds: 20 }) }
  const run = runWith({ seconds: 30, steps: 5 }, children)
  expect(limitsOf(raiseLimits(run, { seconds: 60, steps: 9 }))).toEqual([
    { seconds: 40, steps: 4 },
    { seconds: 50 },
  ])
})

test('a bound that is lifted is lifted for them, one that is new bounds them, a lower one leaves less', () => {
  const children = { 0: waiting({ tokens: 100, images: 2, perTool: { f: 1, g: 1 } }) }
  const before = { tokens: 500, images: 5, perTool: { f: 2, g: 2 } }
  const now = { images: 2, toolCalls: 8, perTool: { f: 4, h: 3 } }
  const limits = { images: 0, toolCalls: 8, perTool: { f: 3, h: 3 } }
  expect(limitsOf(raiseLimits(runWith(before, children), now))).toEqual([limits])
})

test('agents further down get their share as well', () => {
  const inner = { 0: waiting({ images: 1 }), 1: waiting({ images: 1 }) }
  const [one] = Object.values(
    raiseLimits(runWith({ images: 3 }, { 0: waiting({ images: 3 }, inner) }), { images: 7 }),
  )
  expect(limitsOf(one?.state.children ?? {})).toEqual([{ images: 3 }, { images: 3 }])
})

test('nothing changes when nothing was changed', () => {
  const children = { 0: waiting({ images: 1, perTool: { f: 1 } }) }
  const limits = { images: 3, perTool: { f: 2 } }
  expect(raiseLimits(runWith(limits, children), limits)).toEqual(children)
})

test('a bound that is new leaves what was not used by then, in the run or in them', () => {
  const spent = (images: number) => ({ ...noUsage, images, perTool: { f: images } })
  const child = (images: number): StoredChild => ({ state: stateOf([], { usage: spent(images) }), round: 1 })
  const run = stateOf([], { usage: spent(3), children: { 0: child(1), 2: child(0) } })
  const limits = (images: number, perTool = { f: images }) => limitsOf(raiseLimits(run, { images, perTool }))
  const both = (one: number, other: number) =>
    [one, other].map((images) => ({ images, perTool: { f: images } }))
  expect(limits(9)).toEqual(both(4, 2))
  expect(limits(4)).toEqual(both(1, 0))
  expect(limits(2)).toEqual(both(0, 0))
})

test('what nobody knows the cost of leaves nothing', () => {
  const costly: StoredChild = { state: stateOf([], { usage: { ...noUsage, cost: 'unknown' } }), round: 1 }
  const run = stateOf([], { usage: { ...noUsage, cost: 1 }, children: { 0: costly } })
  expect(limitsOf(raiseLimits(run, { cost: 5 }))).toEqual([{ cost: 0 }])
})
