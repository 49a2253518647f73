import { expect, test } from 'vitest'
import { selectChoice, toRecords } from './reply-fields.js'

test.each([
  [[{ index: 1 }, { index: 0, n: 1 }], { index: 0, n: 1 }],
  [[{ index: '1' }, { index: '0' }], { index: '0' }],
  [[{ index: 1 }, { n: 1 }], { n: 1 }],
  [[{ index: null, n: 1 }, { n: 2 }], { index: null, n: 1 }],
  [
    { index: 0, n: 1 },
    { index: 0, n: 1 },
  ],
  [
    { 0: { n: 1 }, 1: { n: 2 } },
    { index: 0, n: 1 },
  ],
  [[{ index: 1 }], undefined],
  [[null], undefined],
  [null, undefined],
  ['none', undefined],
])('of %j selects %j', (choices, choice) => {
  expect(selectChoice({ choices })).toEqual(choice)
})

test('does not read choices in an unknown form as empty', () => {
  for (const choices of [null, '', [], {}, [null]]) expect(toRecords(choices)).toEqual([])
  for (const choices of ['none', 5, [5], ['x', {}]]) expect(toRecords(choices)).toBeUndefined()
})
