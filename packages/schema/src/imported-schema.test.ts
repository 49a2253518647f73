import { expect, test } from 'vitest'
import { toParameters } from './imported-schema.js'

const nested = (levels: number): object => (levels === 0 ? {} : { x: nested(levels - 1) })
const isRejected = async (schema: Record<string, unknown>, value: unknown) =>
  (await toParameters(schema)['~standard'].validate(value)).issues !== undefined

test('the model sees the schema with its text sanitized, and arguments are validated', async () => {
  const a = { enum: ['\u200b'], pattern: '^a', description: 'a\u200bb' }
  const schema = { type: 'object', properties: { a } }
  expect(toParameters(schema).schema).toEqual({
    type: 'object',
    properties: { a: { ...a, description: 'ab' } },
  })
  expect(await isRejected(schema, { a: '\u200b' })).toBe(false)
  expect(await isRejected(schema, { a: '' })).toBe(true)
})

test('rejects a schema that is too long without text', () => {
  expect(() => toParameters({ enum: ['x'.repeat(300_000)] })).toThrow(/limit is 200000/)
})

test('validates a recursive schema at every level', async () => {
  const schema = { type: 'object', properties: { x: { $ref: '#' }, n: { type: 'number' } } }
  expect(await isRejected(schema, { x: { x: { n: 1 } } })).toBe(false)
  expect(await isRejected(schema, { x: { x: { n: 'no' } } })).toBe(true)
})

test('validates exponential schemas up to a limit, then leaves them to the server', async () => {
  const twice = { allOf: [{ $ref: '#' }, { $ref: '#' }] }
  const schema = { type: 'object', properties: { x: twice, n: { type: 'number' } } }
  expect(await isRejected(schema, { x: { n: 'no' } })).toBe(true)
  expect(await isRejected(schema, nested(60))).toBe(false)
})

test('so is indirect doubling', async () => {
  const schema = {
    type: 'object',
    properties: { x: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] } },
    $defs: { b: { $ref: '#' } },
  }
  expect(await isRejected(schema, nested(60))).toBe(false)
})

test('rejects a schema with too many parts', () => {
  const twice = (to: number) => ({ allOf: [{ $ref: `#/$defs/d${to}` }, { $ref: `#/$defs/d${to}` }] })
  const parts = Array.from({ length: 30 }, (_, at) => [`d${at}`, at === 29 ? {} : twice(at + 1)])
  expect(() => toParameters({ $defs: Object.fromEntries(parts), ...twice(0) })).toThrow(/limit is 20000/)
})
