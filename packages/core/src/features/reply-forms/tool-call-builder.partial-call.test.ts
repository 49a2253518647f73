import { expect, test } from 'vitest'
import { readCall } from './lenient-json.js'
import { Draft } from './tool-call-builder.js'

function draft(...texts: string[]): Draft {
  const made = new Draft(0)
  for (const text of texts) made.add(text, readCall({}))
  return made
}

test.each([[], [''], [' '], ['{}'], ['{', ' }\n']])('finds no argument in %j', (...texts) => {
  expect(draft(...texts).isBlank).toBe(true)
  expect(draft(...texts).isUnused).toBe(true)
})

test.each(['null', '{"a":1}', '{}{}', '{'])('finds a possible argument in %s', (text) => {
  expect(draft(text).isBlank).toBe(false)
})

test('treats a call with an id, a name or an extra field as used', () => {
  const [labelled, named, custom] = [draft(), draft(), draft()]
  labelled.id = 'a'
  named.name = 'f'
  custom.add('', readCall({ custom: { name: 'f' } }))
  expect([labelled, named, custom].map(({ isUnused: isUnsaid }) => isUnsaid)).toEqual([false, false, false])
})

test.each([
  ['{"a":1}', ''],
  ['{ "a": 1 }', ''],
  ['{"a":1}{', '{'],
  ['{"a":2}', '{"a":2}'],
  ['', ''],
])('the whole text %s adds %j', (text, added) => {
  expect(draft('{"a"', ':1}').newText(text)).toBe(added)
})
