import { expect, test } from 'vitest'
import { strictest, type Verdict, verdict } from './policies.js'

const strictestOf = (verdicts: readonly Verdict[]) => strictest(verdicts, (one) => one)

test('deny is stricter than ask, and ask than allow, in any order', () => {
  const no = verdict.deny('never')
  const question = verdict.ask('sure?')
  expect(strictestOf([verdict.allow, question, no])).toBe(no)
  expect(strictestOf([no, question, verdict.allow])).toBe(no)
  expect(strictestOf([verdict.allow, question])).toBe(question)
  expect(strictestOf([question, verdict.allow])).toBe(question)
  expect(strictestOf([verdict.allow])).toBe(verdict.allow)
  expect(strictestOf([])).toBe(verdict.allow)
})

test('takes the reason of the first of a kind', () => {
  expect(strictestOf([verdict.deny('one'), verdict.deny('two')])).toEqual({ type: 'deny', reason: 'one' })
  expect(strictestOf([verdict.ask('one'), verdict.ask('two')])).toEqual({ type: 'ask', reason: 'one' })
})

test('ask works without a reason', () => {
  expect(verdict.ask()).toStrictEqual({ type: 'ask' })
  expect(verdict.ask('why')).toStrictEqual({ type: 'ask', reason: 'why' })
})

test('allow is frozen', () => {
  expect(Object.isFrozen(verdict.allow)).toBe(true)
})
