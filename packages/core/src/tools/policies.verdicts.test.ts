import { expect, test } from 'vitest'
import { strictest, verdict } from './policies.js'

test('deny is stricter than ask, and ask than allow, in any order', () => {
  const no = verdict.deny('never')
  const question = verdict.ask('sure?')
  expect(strictest([verdict.allow, question, no])).toBe(no)
  expect(strictest([no, question, verdict.allow])).toBe(no)
  expect(strictest([verdict.allow, question])).toBe(question)
  expect(strictest([question, verdict.allow])).toBe(question)
  expect(strictest([verdict.allow])).toBe(verdict.allow)
  expect(strictest([])).toBe(verdict.allow)
})

test('takes the reason of the first of a kind', () => {
  expect(strictest([verdict.deny('one'), verdict.deny('two')])).toEqual({ type: 'deny', reason: 'one' })
  expect(strictest([verdict.ask('one'), verdict.ask('two')])).toEqual({ type: 'ask', reason: 'one' })
})

test('ask works without a reason', () => {
  expect(verdict.ask()).toStrictEqual({ type: 'ask' })
  expect(verdict.ask('why')).toStrictEqual({ type: 'ask', reason: 'why' })
})

test('allow is frozen', () => {
  expect(Object.isFrozen(verdict.allow)).toBe(true)
})
