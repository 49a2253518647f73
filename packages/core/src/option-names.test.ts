import { expect, test } from 'vitest'
import { checkOptionNames, suggest } from './option-names.js'

const known = { name: true, timeoutMs: true } as const
const owner = { of: 'A run', code: 'invalid_request', evidence: { name: 'r' } } as const

test('accepts known names, whatever their values', () => {
  expect(() => checkOptionNames({ name: undefined, timeoutMs: null }, known, owner)).not.toThrow()
})

test.each([
  [
    'timeoutMS',
    'A run has no option "timeoutMS". The options are: name, timeoutMs. Did you mean "timeoutMs"?',
  ],
  ['colour', 'A run has no option "colour". The options are: name, timeoutMs.'],
  ['constructor', 'A run has no option "constructor". The options are: name, timeoutMs.'],
])('rejects %s, with the closest name', (option, message) => {
  const evidence = { name: 'r', option }
  expect(() => checkOptionNames({ name: 1, [option]: 1 }, known, owner)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message, evidence }),
  )
})

test.each([
  ['rum', 'run'],
  ['sevrice', 'service'],
  ['serv', 'service'],
  ['x', undefined],
  ['', undefined],
  ['bicycle', undefined],
])('for "%s", suggests %s', (said, meant) => {
  expect(suggest(said, ['run', 'tool', 'service'])).toBe(meant)
})

test('suggests the name that begins with the given one, even if a shorter name has fewer edits', () => {
  expect(suggest('input', ['images', 'inputTokens'])).toBe('inputTokens')
})
