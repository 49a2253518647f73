import { expect, test } from 'vitest'
import { newText } from './lenient-json.js'

test.each([
  ['Hello', '', 'Hello'],
  ['Hello', 'Hello', ''],
  ['Hello', 'Hel', 'lo'],
  ['', 'Hel', ''],
])('a message %j after %j adds %j', (said, soFar, added) => {
  expect(newText(said, soFar, true)).toBe(added)
  expect(newText(said, soFar, false)).toBe(added)
})

test.each([
  ['Hel', 'Hello'],
  ['lo', 'Hello'],
  ['Hello', 'Hello \n'],
])('a message %j after %j adds nothing where that came in deltas, and is else a piece', (said, soFar) => {
  expect(newText(said, soFar, true)).toBe('')
  expect(newText(said, soFar, false)).toBe(said)
})

test('adds new text', () => {
  expect(newText('you', 'Hello ', true)).toBe('you')
})
