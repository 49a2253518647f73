import { expect, test } from 'vitest'
import { schemaCost } from './imported-schema.js'

test('a schema costs as much as it has parts', () => {
  expect(
    schemaCost({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }).parts,
  ).toBe(4)
})

test('a reference costs its target each time', () => {
  const $defs = { a: { enum: ['x'] } }
  expect(schemaCost({ $defs, anyOf: [{ $ref: '#/$defs/a' }] }).parts).toBe(8)
  expect(schemaCost({ $defs, anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }).parts).toBe(11)
})

test('30 parts that refer to each other twice cost more than the limit', () => {
  const twice = (to: number) => ({ allOf: [{ $ref: `#/$defs/d${to}` }, { $ref: `#/$defs/d${to}` }] })
  const parts = Array.from({ length: 30 }, (_, at) => [`d${at}`, at === 29 ? {} : twice(at + 1)])
  expect(schemaCost({ $defs: Object.fromEntries(parts), ...twice(0) }).parts).toBeGreaterThan(2 ** 29)
})

test('counts direct and indirect recursion', () => {
  expect(schemaCost({ properties: { next: { $ref: '#' } } }).loops).toBe(1)
  expect(schemaCost({ allOf: [{ $ref: '#' }, { $ref: '#' }] }).loops).toBe(2)
  const detour = { $defs: { b: { $ref: '#' } }, allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }
  expect(schemaCost(detour).loops).toBe(3)
  expect(schemaCost({ properties: { a: {} } }).loops).toBe(0)
})

test('counts a recursive part once, and a broken reference not at all', () => {
  expect(schemaCost({ properties: { next: { $ref: '#' } } }).parts).toBeLessThan(10)
  expect(schemaCost({ $ref: '#/$defs/none/deeper' }).parts).toBe(1)
  expect(schemaCost({ $ref: 'https://example.com/schema' }).parts).toBe(1)
})
