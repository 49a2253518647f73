import { expect, test } from 'vitest'
import { decisionsOf } from './approvals.js'
import { UsageError } from './exit-codes.js'

test('each call has its decision', () => {
  const given = { approve: ['a', 'b/c'], deny: ['d=too much = no', 'e'], result: ['f={"x":1}'] }
  expect(decisionsOf(given)).toEqual({
    a: { type: 'approve' },
    'b/c': { type: 'approve' },
    d: { type: 'deny', reason: 'too much = no' },
    e: { type: 'deny', reason: 'The user said no.' },
    f: { type: 'result', value: { x: 1 } },
  })
})

test.each([
  [{ approve: ['a'], deny: ['a=no'] }, 'The call a is decided twice.'],
  [{ result: ['a'] }, '--result takes the call and its result: a=JSON.'],
  [{ result: ['a={x'] }, /^The result of a is no JSON: /],
])('%j is refused', (given, sentence) => {
  expect(() => decisionsOf(given)).toThrow(sentence)
  expect(() => decisionsOf(given)).toThrow(UsageError)
})
