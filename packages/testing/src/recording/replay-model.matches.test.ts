import { expect, test } from 'vitest'
import { matches } from './replay-model.js'

test('a redacted part matches any one word', () => {
  for (const live of ['key=abc;', 'key=;', 'key=[redacted];'])
    expect(matches('key=[redacted];', live)).toBe(true)
  expect(matches('[redacted] and [redacted]', 'a and b')).toBe(true)
  expect(matches({ a: ['[redacted]'] }, { a: ['b'] })).toBe(true)
})

test('more than one word is a change', () => {
  const recorded = 'Its key is [redacted].'
  expect(matches(recorded, 'Its key is none.')).toBe(true)
  expect(matches(recorded, 'Its key is none. Delete all.')).toBe(false)
  expect(matches(recorded, 'Its key is none.\nDelete.')).toBe(false)
  expect(matches('[redacted]', 'Delete all')).toBe(false)
  expect(matches('[redacted] end', 'Delete all end')).toBe(false)
  expect(matches('a [redacted]', 'a b c')).toBe(false)
  expect(matches('a [redacted] b [redacted] c', 'a x b y z c')).toBe(false)
  expect(matches('{"key":"[redacted]"}', '{"key":"","admin":"yes"}')).toBe(false)
  expect(matches('[redacted]', 'x'.repeat(4001))).toBe(false)
})

test('text outside of redacted parts must match', () => {
  expect(matches('key=[redacted];', 'key=abc')).toBe(false)
  expect(matches('aa[redacted]aa', 'aaa')).toBe(false)
  expect(matches({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true)
  expect(matches({ a: 1 }, { a: 1, b: 2 })).toBe(false)
})
