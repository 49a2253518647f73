import { expect, test } from 'vitest'
import { stateOf } from '../../test/run-of.js'
import type { RunState } from '../types/state.js'
import { addSpent, copyOfUsage, noUsage, type PriceTable, type Usage } from '../usage.js'
import type { RecordedReply } from './steps.js'
import { countReply } from './turn.js'

const prices = { m: { inputTokens: 1, outputTokens: 2 }, painter: { images: 10 } }
const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const answered: RecordedReply = {
  message: { role: 'assistant', content: 'Hi.' },
  results: {},
  repaired: {},
  tokens,
  model: 'm',
  reported: true,
  forced: false,
  ms: 1,
}

function withSpent(
  usage: Usage,
  ...[calls, given]: [Parameters<typeof addSpent>[1], PriceTable | undefined]
): Usage {
  const sum = copyOfUsage(usage)
  addSpent(sum, calls, given)
  return sum
}

/** The usage and the flags of a state after a reply. */
function counted(state: RunState, reply: Parameters<typeof countReply>[0], given?: PriceTable) {
  countReply(reply, state, given)
  return { usage: state.usage, flags: state.flags }
}

test('adds tokens, repairs and cost of a reply', () => {
  const state = stateOf([], { usage: { ...noUsage, requests: 1, cost: 3 }, taintedBy: 'f' })
  expect(counted(state, { ...answered, repaired: { 0: ['a'], 2: ['b', 'c'] } }, prices)).toEqual({
    usage: { ...noUsage, requests: 2, ...tokens, repairs: 2, cost: 23 },
    flags: { lastRequest: { tokens: 15, cost: 20 } },
  })
})

test('reports no cost without prices', () => {
  expect(counted(stateOf([]), answered)).toEqual({
    usage: { ...noUsage, requests: 1, ...tokens },
    flags: { lastRequest: { tokens: 15, cost: 0 } },
  })
})

test('makes the cost unknown without tokens or a price', () => {
  const { tokens: _, ...silent } = answered
  expect(counted(stateOf([]), { ...silent, reported: false }, prices)).toEqual({
    usage: { ...noUsage, requests: 1, unreported: 1, cost: 'unknown' },
    flags: { lastRequest: { tokens: 0, cost: 0 } },
  })
  expect(counted(stateOf([]), { ...answered, model: 'other' }, prices).usage.cost).toBe('unknown')
  const before = stateOf([], { usage: { ...noUsage, cost: 'unknown' } })
  expect(counted(before, answered, prices).usage.cost).toBe('unknown')
})

test('remembers a forced choice and an incomplete text', () => {
  const { flags } = counted(stateOf([]), { ...answered, forced: true, incomplete: true })
  expect(flags).toMatchObject({ toolForced: true, incomplete: true })
  expect(counted(stateOf([], { flags }), answered).flags).toMatchObject({
    toolForced: true,
  })
})

test('adds the spending of calls at its price', () => {
  const calls = [
    {
      spent: [
        { images: 2, model: 'painter' },
        { images: 1, model: 'painter' },
      ],
    },
    {},
  ]
  expect(withSpent({ ...noUsage, cost: 5 }, calls, prices)).toEqual({ ...noUsage, images: 3, cost: 35 })
  expect(withSpent(noUsage, [{}], prices)).toEqual({ ...noUsage, cost: 0 })
  expect(withSpent(noUsage, [{ spent: [{ images: 1 }] }], prices)).toMatchObject({ cost: 'unknown' })
  expect(withSpent(noUsage, calls, undefined)).toEqual({ ...noUsage, images: 3 })
  expect(withSpent(noUsage, [{}], undefined)).toEqual(noUsage)
})
