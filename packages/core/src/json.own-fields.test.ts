import { expect, test } from 'vitest'
import { getOwn, onceFor } from './json.js'

test.each([
  [{ a: 1 }, 'a', 1],
  [{ a: 1 }, 'b', undefined],
  [{}, 'constructor', undefined],
  [{}, '__proto__', undefined],
  [JSON.parse('{ "__proto__": 1 }'), '__proto__', 1],
  [undefined, 'a', undefined],
  [null, 'a', undefined],
  ['text', 'length', undefined],
])('an own field of %j: %s', (record, name, value) => {
  expect(getOwn(record, name)).toBe(value)
})

test('a value is made once for each object', () => {
  let made = 0
  const numberOf = onceFor((_key: object) => made++)
  const [one, other] = [{}, {}]
  expect([numberOf(one), numberOf(other), numberOf(one)]).toEqual([0, 1, 0])
})
