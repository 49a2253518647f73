import { expect, test } from 'vitest'
import { jsonSchema } from './json-schema.js'
import { validate } from './validate.js'

const issues = async (schema: Record<string, unknown>, value: unknown) => {
  const checked = await validate(jsonSchema(schema), value)
  return checked.ok ? [] : checked.issues.map((line) => line.replace(/ \(given: .*\)$/, ''))
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 0 },
    friends: { type: 'array', items: { $ref: '#' } },
  },
  required: ['name', 'age'],
  additionalProperties: false,
}

test('arguments that fit are handed over as they came', async () => {
  const value = { name: 'Ada', age: 36, friends: [{ name: 'Bo', age: 1 }] }
  const checked = await validate(jsonSchema(person), value)
  expect(checked.ok && checked.value).toBe(value)
})

test('every fault is told once, at the part that has it', async () => {
  expect(await issues(person, { age: 'old' })).toEqual([
    'Instance does not have required property "name".',
    'age: Instance type "string" is invalid. Expected "integer".',
  ])
  expect(
    await issues(person, { name: 'Ada', age: 1, friends: [{ name: 'B', age: -1, pet: 'cat' }] }),
  ).toEqual([
    'friends.0.name: String is too short (1 < 2).',
    'friends.0.age: -1 is less than 0.',
    'friends.0: Property "pet" does not match additional properties schema.',
  ])
})

test('what fits none of several choices is told with what each of them asks', async () => {
  const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }
  expect(await issues(schema, { a: true })).toEqual([
    'a: Instance does not match any subschemas.',
    'a: Instance type "boolean" is invalid. Expected "string".',
    'a: Instance type "boolean" is invalid. Expected "number".',
  ])
})

test.each(['definitions', '$defs'])('a reference into %s is followed', async (place) => {
  const properties = { a: { $ref: `#/${place}/short` } }
  const schema = { type: 'object', properties, [place]: { short: { type: 'string', maxLength: 3 } } }
  expect(await issues(schema, { a: 'abc' })).toEqual([])
  expect(await issues(schema, { a: 'abcd' })).toEqual(['a: String is too long (4 > 3).'])
})

test.each([
  ['http://json-schema.org/draft-04/schema#', { minimum: 10, exclusiveMinimum: true }],
  ['http://json-schema.org/draft-06/schema#', { exclusiveMinimum: 10 }],
  ['http://json-schema.org/draft-07/schema#', { exclusiveMinimum: 10 }],
  ['https://json-schema.org/draft/2020-12/schema', { exclusiveMinimum: 10 }],
  [undefined, { exclusiveMinimum: 10 }],
])('a bound is read as its draft has it: %s', async ($schema, bound) => {
  const schema = { ...($schema ? { $schema } : {}), type: 'object', properties: { n: bound } }
  expect(await issues(schema, { n: 11 })).toEqual([])
  expect(await issues(schema, { n: 10 })).toHaveLength(1)
})

test('what stands beside a reference counts, but not in draft 7', async () => {
  const properties = { a: { $ref: '#/definitions/text', minLength: 5 } }
  const schema = { type: 'object', properties, definitions: { text: { type: 'string' } } }
  const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }
  expect(await issues(draft7, { a: 'abc' })).toEqual([])
  expect(await issues(schema, { a: 'abc' })).toEqual(['a: String is too short (3 < 5).'])
})

test('a tuple is read as its draft has it', async () => {
  const old = { items: [{ type: 'string' }], additionalItems: false }
  const current = { prefixItems: [{ type: 'string' }], items: false }
  for (const list of [old, current]) {
    const schema = { type: 'object', properties: { list } }
    expect(await issues(schema, { list: ['a'] })).toEqual([])
    expect(await issues(schema, { list: [1] })).toHaveLength(1)
    expect(await issues(schema, { list: ['a', 'b'] })).toHaveLength(1)
  }
})

test('the name of a part is told as it is', async () => {
  const name = 'a/b~c d%20#é'
  expect(await issues({ type: 'object', properties: { [name]: { type: 'string' } } }, { [name]: 1 })).toEqual(
    [`${name}: Instance type "number" is invalid. Expected "string".`],
  )
})

test('a property without a value is one that is not there', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  expect(await issues(schema, { a: undefined })).toEqual([])
  expect(await issues({ ...schema, required: ['a'] }, { a: undefined })).toHaveLength(1)
})

test('what an object inherits is no property of it', async () => {
  expect(await issues({ type: 'object', required: ['toString'] }, {})).toHaveLength(1)
  const hidden = JSON.parse('{"__proto__":{"a":"x"}}')
  expect(await issues({ type: 'object', required: ['a'] }, hidden)).toHaveLength(1)
})

test('a frozen schema will do, and no schema is written into', async () => {
  const schema = { type: 'object', properties: { a: Object.freeze({ $ref: '#/$defs/a' }) }, $defs: { a: {} } }
  jsonSchema(Object.freeze(schema))
  expect(Reflect.ownKeys(schema.$defs.a)).toEqual([])
})

test.each([[[]], ['text'], [null], [undefined], [7]])('%j is no object of arguments', async (value) => {
  expect(await issues({ type: 'object' }, value)).toHaveLength(1)
})
