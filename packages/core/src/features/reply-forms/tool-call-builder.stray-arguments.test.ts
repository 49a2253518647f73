import { expect, test } from 'vitest'
import { readCall } from './lenient-json.js'
import { Draft, findStrayArguments } from './tool-call-builder.js'

/** Returns drafts of calls, each made from an index, a name and arguments. */
function drafts(...calls: (readonly [index: string, name: string, text: string])[]): readonly Draft[] {
  return calls.map(([index, name, text], position) => {
    const draft = Object.assign(new Draft(position), { index, name })
    draft.add(text, readCall({}))
    return draft
  })
}

test('finds nameless arguments and those in the place of an empty call', () => {
  const stray = { name: 'f', text: '{"x":1}' }
  expect(findStrayArguments(drafts(['', 'f', ''], ['', '', '{"x":1}']))).toEqual(stray)
  expect(findStrayArguments(drafts(['0', 'f', '{}'], ['1', 'g', '{"y":2}'], ['0', '', '{"x":1}']))).toEqual(
    stray,
  )
  expect(findStrayArguments(drafts(['0', 'f', ''], ['0', 'f', '{"x":1}']))).toEqual(stray)
})

test('ignores calls with their own arguments', () => {
  expect(findStrayArguments(drafts(['0', 'f', '{"x":1}'], ['0', '', '{"y":2}']))).toBeUndefined()
  expect(
    findStrayArguments(drafts(['0', 'f', ''], ['1', 'f', '{"x":1}'], ['0', 'g', '{"x":1}'])),
  ).toBeUndefined()
  expect(
    findStrayArguments(drafts(['', 'f', ''], ['', 'f', '{"x":1}'], ['', '', ''], ['0', 'f', '{}'])),
  ).toBeUndefined()
  expect(findStrayArguments(drafts(['0', 'f', '{}'], ['0', 'f', '{"x":1}']))).toBeUndefined()
})
