import { expect, test } from 'vitest'
import { allow, ask, deny, strictest } from './policies.js'

test('deny is stricter than ask, and ask than allow, in any order', () => {
  const no = deny('never')
  const question = ask('sure?')
  expect(strictest([allow, question, no])).toBe(no)
  expect(strictest([no, question, allow])).toBe(no)
  expect(strictest([allow, question])).toBe(question)
  expect(strictest([question, allow])).toBe(question)
  expect(strictest([allow])).toBe(allow)
  expect(strictest([])).toBe(allow)
})

test('takes the reason of the first of a kind', () => {
  expect(strictest([deny('one'), deny('two')])).toEqual({ type: 'deny', reason: 'one' })
  expect(strictest([ask('one'), ask('two')])).toEqual({ type: 'ask', reason: 'one' })
})

test('ask works without a reason', () => {
  expect(ask()).toStrictEqual({ type: 'ask' })
  expect(ask('why')).toStrictEqual({ type: 'ask', reason: 'why' })
})

test('allow is frozen', () => {
  expect(Object.isFrozen(allow)).toBe(true)
})
