import { expect, test } from 'vitest'
import { named } from '../../../test/call-context.js'
import { callsTo, runOf, stateOf } from '../../../test/run-of.js'
import { noUsage } from '../../usage.js'
import { remainingLimits } from './agent-tool.js'

const kid = { ...named('kid', () => 1), toInput: () => '' }
const tools = [kid, named('f', () => 1)]
const usage = { ...noUsage, images: 1, totalTokens: 100, toolCalls: 2, perTool: { f: 1 } }

test('an agent that begins alone may use what is left', () => {
  const limits = { steps: 3, images: 5, tokens: 250, toolCalls: 10, perTool: { f: 4 }, seconds: 60 }
  const state = stateOf(callsTo('kid', 'f'), { usage: { ...usage, seconds: 10 }, limits })
  expect(remainingLimits(0, runOf(tools, state))).toEqual({
    images: 4,
    tokens: 150,
    // Two calls have been counted, and two are open.
    toolCalls: 6,
    perTool: { f: 3 },
    // 12 of the 60 seconds are reserved for the final answer.
    seconds: 38,
  })
})

test('those that begin in one answer share it, so that all together pass nothing', () => {
  const limits = { images: 6, cost: 10, seconds: 60, perTool: { f: 4 } }
  const state = stateOf(callsTo('kid', 'kid', 'kid'), { usage: { ...usage, cost: 1 }, limits })
  expect(remainingLimits(0, runOf(tools, state))).toEqual({
    images: 2,
    cost: 3,
    seconds: 48,
    perTool: { f: 1 },
  })
})

test('what cannot be parted equally goes to the first of them', () => {
  const state = stateOf(callsTo('f', 'kid', 'kid', 'kid'), { limits: { images: 2, perTool: { f: 4 } } })
  const shares = [1, 2, 3].map((index) => remainingLimits(index, runOf(tools, state)))
  expect(shares).toEqual([
    { images: 1, perTool: { f: 2 } },
    { images: 1, perTool: { f: 1 } },
    { images: 0, perTool: { f: 1 } },
  ])
})

test('what an agent that waits may still use is kept for it', () => {
  const waiting = stateOf([], { limits: { images: 3 }, usage: { ...noUsage, images: 1 } })
  const state = stateOf(callsTo('kid', 'kid'), {
    usage,
    limits: { images: 5 },
    children: { 0: { state: waiting, round: 1 } },
  })
  expect(remainingLimits(0, runOf(tools, state))).toEqual({ images: 2 })
})

test('of costs that are not known nothing is left', () => {
  const state = stateOf(callsTo('kid'), { usage: { ...usage, cost: 'unknown' }, limits: { cost: 10 } })
  expect(remainingLimits(0, runOf(tools, state))).toEqual({ cost: 0 })
})

test('without limits there is nothing to share', () => {
  expect(remainingLimits(0, runOf(tools, stateOf(callsTo('kid'), { limits: {} })))).toEqual({})
})
