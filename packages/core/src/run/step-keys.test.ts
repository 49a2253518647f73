import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareStepKeys,
  isChildRunOf,
  isRequestKey,
  isSideRequestKey,
  keyWithin,
  outermostRun,
  outermostStep,
  readStepKey,
  type StepKind,
  splitIdempotencyKey,
  stepKey,
} from './step-keys.js'

const none = { run: '', index: 0, round: 0, further: '' }

test.each([
  ['step0/request', { ...none, step: 0, kind: 'request' }],
  ['step12/final', { ...none, step: 12, kind: 'final' }],
  ['step3/call10', { ...none, step: 3, kind: 'call', index: 10 }],
  ['step0/child1.2', { ...none, step: 0, kind: 'child', index: 1, round: 2 }],
  ['step0/request/1/again', { ...none, step: 0, kind: 'request', further: '1/again' }],
  ['step1/child0/step2/call3', { ...none, run: 'step1/child0', step: 2, kind: 'call', index: 3 }],
  [
    'step1/child0/step2/child1.1/step0/request/ask-0f3a',
    { run: 'step1/child0/step2/child1.1', step: 0, kind: 'request', index: 0, round: 0, further: 'ask-0f3a' },
  ],
])('the key %s has its parts', (key, parts) => {
  expect(readStepKey(key)).toEqual(parts)
})

test.each([
  '',
  'begin',
  'end',
  'step0',
  'step0/',
  'step/call1',
  'step0/other1',
  'astep0/call1',
  'call1',
  'run-7/now0',
])('the text "%s" is not a key', (text) => {
  expect(readStepKey(text)).toBeUndefined()
})

test('what is written is read', () => {
  const kinds: readonly StepKind[] = ['call', 'decision', 'decided', 'child', 'background']
  const step = fc.nat(1000)
  const child = fc.tuple(step, fc.nat(99), fc.nat(9))
  fc.assert(
    fc.property(
      fc.array(child, { maxLength: 3 }),
      step,
      fc.constantFrom(...kinds),
      fc.nat(99),
      (children, at, kind, index) => {
        const run = children.reduce(
          (around, [number, call, round]) =>
            keyWithin(around, stepKey(number, round === 0 ? `child${call}` : `child${call}.${round}`)),
          '',
        )
        const key = keyWithin(run, stepKey(at, `${kind}${index}`))
        expect(readStepKey(key)).toEqual({ run, step: at, kind, index, round: 0, further: '' })
        expect(outermostStep(key)).toBe(children[0]?.[0] ?? at)
        expect(outermostRun(run === '' ? 'r' : `r/${run}`)).toBe('r')
      },
    ),
  )
})

test('a request of a step is told from a side request', () => {
  const isOf = (key: string) => {
    const parts = readStepKey(key)
    return parts && [isRequestKey(parts), isSideRequestKey(parts)]
  }
  expect(isOf('step0/request')).toEqual([true, false])
  expect(isOf('step0/request/2')).toEqual([true, false])
  expect(isOf('step0/final/again')).toEqual([true, false])
  expect(isOf('step0/request/ask-0f3a')).toEqual([false, true])
  expect(isOf('step0/call0')).toEqual([false, false])
})

test.each([
  ['r/step0/request', 'r', 'step0/request'],
  ['a/b/step1/child0/step0/final', 'a/b', 'step1/child0/step0/final'],
  ['r/round2/step0/request/again', 'r/round2', 'step0/request/again'],
  ['of a request without a run', '', 'of a request without a run'],
])('the idempotency key %s is split into run and key', (idempotencyKey, runId, at) => {
  expect(splitIdempotencyKey(idempotencyKey)).toEqual({ runId, at })
})

test('the outermost run of an id keeps what only looks like a child run', () => {
  expect(outermostRun('r/step0/child1/step2/child0.3')).toBe('r')
  for (const id of ['r', 'r/step0/child1/abort', 'r/step0/children', 'r/step0/call1', 'step0/child1'])
    expect(outermostRun(id)).toBe(id)
})

test('a child run belongs to each run around it', () => {
  const id = 'r/step0/child1/step2/child0.3'
  expect(['r', 'r/step0/child1'].filter((runId) => isChildRunOf(id, runId))).toEqual(['r', 'r/step0/child1'])
  for (const runId of [id, 'r/step0', 'r/step0/child', 'other', 'r/step0/child1/step2/child0'])
    expect(isChildRunOf(id, runId)).toBe(false)
})

test('keys are in the order of events, whatever order they are given in', () => {
  const keys = [
    'begin',
    'step0/request/ask-0f3a',
    'step0/request',
    'step0/request/again',
    'step0/request/1',
    'step0/call0',
    'step0/call1',
    'step0/call10',
    'step0/child0/step0/request',
    'step0/child0/step0/call0',
    'step0/child0',
    'step0/child0.1',
    'step0/decision1',
    'step0/decided1',
    'step0/end',
    'step0/background1',
    'step1/request',
    'step10/final',
    'end',
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), (shuffled) => {
      expect(shuffled.toSorted(compareStepKeys)).toEqual(keys)
    }),
  )
})
