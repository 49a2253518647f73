import { expect, test } from 'vitest'
import { parseDecisions } from './approvals.js'
import { UsageError } from './exit-codes.js'

test('parses a decision for each call', () => {
  const given = { approve: ['a', 'b/c'], deny: ['d=too much = no', 'e'], result: ['f={"x":1}'] }
  expect(parseDecisions(given)).toEqual({
    a: { type: 'approve' },
    'b/c': { type: 'approve' },
    d: { type: 'deny', reason: 'too much = no' },
    e: { type: 'deny', reason: 'The user denied it.' },
    f: { type: 'result', value: { x: 1 } },
  })
})

test.each([
  [{ approve: ['a'], deny: ['a=no'] }, 'Call a has two decisions. Pass one.'],
  [{ result: ['a'] }, '--result needs a call id and a result. Write a=JSON.'],
  [{ result: ['a={x'] }, /^The result of a is not valid JSON: /],
])('rejects %j', (given, sentence) => {
  expect(() => parseDecisions(given)).toThrow(sentence)
  expect(() => parseDecisions(given)).toThrow(UsageError)
})
