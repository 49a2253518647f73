import { expect, test } from 'vitest'
import { allow, ask, deny, strictest } from './policies.js'

test('a no is stricter than a question, and a question than a yes, in whatever order they come', () => {
  const no = deny('never')
  const question = ask('sure?')
  expect(strictest([allow, question, no])).toBe(no)
  expect(strictest([no, question, allow])).toBe(no)
  expect(strictest([allow, question])).toBe(question)
  expect(strictest([question, allow])).toBe(question)
  expect(strictest([allow])).toBe(allow)
  expect(strictest([])).toBe(allow)
})

test('the first of a kind gives the reason', () => {
  expect(strictest([deny('one'), deny('two')])).toEqual({ type: 'deny', reason: 'one' })
  expect(strictest([ask('one'), ask('two')])).toEqual({ type: 'ask', reason: 'one' })
})

test('a question may come without a reason', () => {
  expect(ask()).toStrictEqual({ type: 'ask' })
  expect(ask('why')).toStrictEqual({ type: 'ask', reason: 'why' })
})

test('the yes that all policies share cannot be changed', () => {
  expect(Object.isFrozen(allow)).toBe(true)
})
