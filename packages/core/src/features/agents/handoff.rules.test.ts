import { expect, test } from 'vitest'
import { callsTo, runOf, stateOf } from '../../../test/run-of.js'
import { handoff, handoffRules } from './handoff.js'

const tools = [handoff('a'), handoff('b'), handoff('nobody')]
const parts = {
  agents: new Map(
    ['a', 'b'].map((name) => [
      name,
      { name, start: () => expect.unreachable(), proceed: () => expect.unreachable() },
    ]),
  ),
}
const refused = (names: readonly string[], changes = {}) =>
  [...handoffRules.refused(runOf(tools, stateOf(callsTo(...names), changes), { parts }))].map(
    ([index, { status }]) => [index, status],
  )

test('one handoff may run', () => {
  expect(refused(['transfer_to_a'])).toEqual([])
})

test('of several the first may', () => {
  expect(refused(['transfer_to_a', 'transfer_to_b', 'transfer_to_a'])).toEqual([
    [1, 'not_run'],
    [2, 'not_run'],
  ])
})

test('one to nobody may not, and does not stand in the way of the next', () => {
  expect(refused(['transfer_to_nobody', 'transfer_to_b'])).toEqual([[0, 'error']])
})

test('what is answered stays, and is the first where it was done', () => {
  const answered = (status: string) => ({ results: { 0: { status, content: '', ms: 0 } } })
  expect(refused(['transfer_to_a', 'transfer_to_b'], answered('ok'))).toEqual([[1, 'not_run']])
  expect(refused(['transfer_to_a', 'transfer_to_b'], answered('denied'))).toEqual([])
})
