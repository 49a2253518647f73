import { expect, test } from 'vitest'
import { CallDraft } from './call-draft.js'
import { findStray } from './find-stray.js'
import { readCall } from './read-call.js'

/** Calls, each an index, a name and its arguments. */
function drafts(...calls: (readonly [index: string, name: string, text: string])[]): readonly CallDraft[] {
  return calls.map(([index, name, text], position) => {
    const draft = Object.assign(new CallDraft(position), { index, name })
    draft.add(text, readCall({}))
    return draft
  })
}

test('arguments of no name, or in the place of a call of nothing, may be its own', () => {
  const stray = { name: 'f', text: '{"x":1}' }
  expect(findStray(drafts(['', 'f', ''], ['', '', '{"x":1}']))).toEqual(stray)
  expect(findStray(drafts(['0', 'f', '{}'], ['1', 'g', '{"y":2}'], ['0', '', '{"x":1}']))).toEqual(stray)
  expect(findStray(drafts(['0', 'f', ''], ['0', 'f', '{"x":1}']))).toEqual(stray)
})

test('calls that have what is theirs are left alone', () => {
  expect(findStray(drafts(['0', 'f', '{"x":1}'], ['0', '', '{"y":2}']))).toBeUndefined()
  expect(findStray(drafts(['0', 'f', ''], ['1', 'f', '{"x":1}'], ['0', 'g', '{"x":1}']))).toBeUndefined()
  expect(
    findStray(drafts(['', 'f', ''], ['', 'f', '{"x":1}'], ['', '', ''], ['0', 'f', '{}'])),
  ).toBeUndefined()
  expect(findStray(drafts(['0', 'f', '{}'], ['0', 'f', '{"x":1}']))).toBeUndefined()
})
