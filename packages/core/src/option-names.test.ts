import { expect, test } from 'vitest'
import { checkOptionNames, checkRequiredOption, suggest } from './option-names.js'

const known = { name: true, timeoutMs: true } as const
const owner = { of: 'A run', code: 'invalid_request', evidence: { name: 'r' } } as const

test('accepts known names, whatever their values', () => {
  expect(() => checkOptionNames({ name: undefined, timeoutMs: null }, known, owner)).not.toThrow()
})

test.each([
  ['timeoutMS', 'A run has no option "timeoutMS". Did you mean "timeoutMs"? Options: name, timeoutMs.'],
  ['colour', 'A run has no option "colour". Options: name, timeoutMs.'],
  ['constructor', 'A run has no option "constructor". Options: name, timeoutMs.'],
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

const kinds = {
  name: 'a string',
  settings: true,
  limits: true,
  on: ['a colour', (one: unknown) => one === 'red'],
} as const
const elsewhere = ['a run', { session: true }] as const

test.each<[string, object, string]>([
  ['another name', { inputSchema: 1 }, 'Did you mean "parameters"?'],
  ['another spelling', { max_steps: 1 }, 'Did you mean "limits.steps"?'],
  ['a name of these options alone', { label: 1 }, 'Did you mean "name"?'],
  ['an option of another subject', { session: 1 }, 'Did you mean "session" of a run?'],
  ['another name of such an option', { threadId: 1 }, 'Did you mean "session" of a run?'],
  ['a call in its place', { apiKey: 1 }, 'Did you mean "chatModel(name, { apiKey, baseURL })"?'],
  ['a value of another kind', { name: 5 }, 'A run: name is a number. Use a string.'],
  ['a value that its own check refuses', { on: ['blue'] }, 'A run: on is an array. Use a colour.'],
  ['a text that its own check refuses', { on: 'blue' }, 'A run: on is a string. Use a colour.'],
  ['a number that its own check refuses', { on: Number.NaN }, 'A run: on is NaN. Use a colour.'],
])('names the remedy for %s', (_what, given, message) => {
  const known = 'inputSchema' in given ? { parameters: true as const } : kinds
  const check = () => checkOptionNames(given, known, { ...owner, elsewhere, names: { name: 'label' } })
  expect(check).toThrow(message)
})

test.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [[], 'an array'],
  ['sk-secret', 'a string'],
  [() => {}, 'a function'],
  [Promise.resolve(), 'a promise'],
])('takes an object of options only, and does not show another value', (given, kind) => {
  expect(() => checkOptionNames(given, known, owner)).toThrow(`A run expects an options object, got ${kind}.`)
  expect(() => checkOptionNames(given, known, owner)).not.toThrow('secret')
})

test('a required option must be there', () => {
  const check = (given: object) => () => checkRequiredOption(given, kinds, { ...owner, required: 'name' })
  expect(check({ name: 'x' })).not.toThrow()
  expect(check({})).toThrow('A run: name is required. Use a string.')
})

test('open options accept other fields, but no other name of a missing option', () => {
  const open = { ...owner, isOpen: true, names: { name: 'label' } }
  const check = (given: object) => () => checkOptionNames(given, { name: true }, open)
  expect(check({ name: 'x', label: 'y', close() {}, port: 1, apiKey: 'k' })).not.toThrow()
  expect(check({ label: 'y' })).toThrow('Did you mean "name"?')
  expect(check({ nane: 'y' })).toThrow('Did you mean "name"?')
})
