import { expect, test } from 'vitest'
import { coerce } from './repair.js'

const read = (value: unknown, schema: Record<string, unknown>, required: string[] = []) => {
  const read = coerce({ a: value }, { type: 'object', properties: { a: schema }, required })
  return { ...(read.value as { a?: unknown }), repairs: read.repairs }
}

test.each([
  ['number', '1', 1],
  ['number', ' -1.5 ', -1.5],
  ['number', '2e3', 2000],
  ['integer', '7', 7],
  ['integer', '1.0', 1],
  ['boolean', 'true', true],
  ['boolean', 'False', false],
  [['number', 'null'], '1', 1],
  [['boolean', 'integer'], '1', 1],
])('%j: reads the string %j as %j and reports it', (type, given, value) => {
  expect(read(given, { type })).toEqual({ a: value, repairs: [`a: "${given}" was read as ${value}`] })
})

test.each([
  [{ type: 'number' }, 'one'],
  [{ type: 'number' }, ''],
  [{ type: 'number' }, 'true'],
  [{ type: 'number' }, '0x10'],
  [{ type: 'integer' }, '1.5'],
  [{ type: 'integer' }, '9007199254740993'],
  [{ type: 'number' }, '9007199254740993'],
  [{ type: 'number' }, '1e999'],
  [{ type: 'integer' }, '007'],
  [{ type: 'number' }, '-01.5'],
  [{ type: 'boolean' }, '1'],
  [{ type: 'boolean' }, 'yes'],
  [{ type: 'string' }, '1'],
  [{ type: ['string', 'number'] }, '1'],
  [{}, '1'],
  [{ type: 'number' }, true],
  [{ type: 'boolean' }, 1],
  [{ type: 'object' }, 'text'],
  [{ type: 'object' }, [1]],
  [{ properties: { b: { type: 'number' } } }, { b: '1' }],
  [true, '1'],
])('%j: keeps %j, which has no other reading or several', (schema, value) => {
  expect(read(value, schema as Record<string, unknown>)).toEqual({ a: value, repairs: [] })
})

test('reads null as absent for an optional field that is not nullable', () => {
  expect(read(null, { type: 'string' })).toEqual({ repairs: ['a: null was read as absent'] })
  for (const schema of [{ type: ['string', 'null'] }, { type: 'null' }, {}, { anyOf: [] }])
    expect(read(null, schema)).toEqual({ a: null, repairs: [] })
  expect(read(null, { type: 'string' }, ['a'])).toEqual({ a: null, repairs: [] })
})

test('reads one value as a list of one, also inside it', () => {
  expect(read('x', { type: 'array' })).toEqual({
    a: ['x'],
    repairs: ['a: one value was put into an array'],
  })
  expect(read('1', { type: ['array', 'null'], items: { type: 'number' } })).toEqual({
    a: [1],
    repairs: ['a: one value was put into an array', 'a.0: "1" was read as 1'],
  })
})

test.each([
  [{ type: ['array', 'string'] }, 'x'],
  [{ type: ['array', 'number'] }, 1],
  [{ type: 'array' }, '["x"]'],
  [{ type: 'array' }, ' [1'],
  [{ type: ['array', 'null'] }, null],
])('%j: does not read %j as a list of one', (schema, value) => {
  expect(read(value, schema)).toEqual({ a: value, repairs: [] })
})

test('reports the path of nested repairs, and keeps unknown fields', () => {
  const item = { type: 'object', properties: { n: { type: 'number' } } }
  const value = { list: [{ n: '1', m: '2' }, { n: 3 }], more: '4', toString: '5' }
  expect(coerce(value, { type: 'object', properties: { list: { type: 'array', items: item } } })).toEqual({
    value: { list: [{ n: 1, m: '2' }, { n: 3 }], more: '4', toString: '5' },
    repairs: ['list.0.n: "1" was read as 1'],
  })
})
