import { expect, test } from 'vitest'
import { ExtraFields } from './reply-forms.js'

const piecesOf = (...values: unknown[]) => {
  const drafts = new ExtraFields()
  return { told: values.map((value) => drafts.add('field', value)), field: drafts.fields.field }
}

test.each<[unknown, ...unknown[]]>([
  ['ab', 'a', 'b'],
  ['bot', 'bot', 'bot'],
  [[1, 2], [1], [2]],
  [{ a: 1, b: 3 }, { a: 1 }, { b: 2 }, { b: 3 }],
  [{ signature: 's' }, { signature: 's' }, null, {}, []],
  [undefined, null, ''],
  [0, 0],
])('builds %j from pieces', (field, ...values) => {
  expect(piecesOf(...values).field).toEqual(field)
})

test('appends repeated model text', () => {
  const drafts = new ExtraFields()
  expect([drafts.add('reasoning_content', 'ha'), drafts.add('reasoning_content', 'ha')]).toEqual(['ha', 'ha'])
  expect(drafts.fields).toEqual({ reasoning_content: 'haha' })
})

test('replaces texts and lists from a whole message', () => {
  const drafts = new ExtraFields()
  for (const piece of ['Let me ', 'think.']) drafts.add('reasoning', piece)
  for (const piece of ['a', 'b']) drafts.add('details', [piece])
  expect(drafts.addWhole('reasoning', 'Let me think. Yes.')).toBe(' Yes.')
  expect(drafts.addWhole('reasoning', 'Let me think. Yes.')).toBe('')
  drafts.addWhole('details', ['ab'])
  expect(drafts.fields).toEqual({ reasoning: 'Let me think. Yes.', details: ['ab'] })
})

test('joins lists of messages unless a later one contains the former', () => {
  const drafts = new ExtraFields()
  for (const list of [['a'], ['a', 'b'], ['c']]) drafts.addWhole('details', list)
  expect(drafts.fields).toEqual({ details: ['a', 'b', 'c'] })
})
