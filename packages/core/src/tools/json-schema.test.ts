import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { Agent } from '../index.js'
import { jsonSchema } from './json-schema.js'
import { tool } from './tool.js'
import { validate } from './validate.js'

const issues = async (schema: Record<string, unknown>, value: unknown) => {
  const checked = await validate(jsonSchema(schema), value)
  return (checked.issues ?? []).map((line) => line.replace(/ \(given: .*\)$/, ''))
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

test('passes valid arguments on unchanged', async () => {
  const value = { name: 'Ada', age: 36, friends: [{ name: 'Bo', age: 1 }] }
  const checked = await validate(jsonSchema(person), value)
  expect(!checked.issues && checked.value).toBe(value)
})

test('reports every error once, at its part', async () => {
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

test('reports the errors of every choice when none fits', async () => {
  const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }
  expect(await issues(schema, { a: true })).toEqual([
    'a: Instance does not match any subschemas.',
    'a: Instance type "boolean" is invalid. Expected "string".',
    'a: Instance type "boolean" is invalid. Expected "number".',
  ])
})

test.each(['definitions', '$defs'])('follows a reference into %s', async (place) => {
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
])('reads an exclusive limit by its draft: %s', async ($schema, bound) => {
  const schema = { ...($schema ? { $schema } : {}), type: 'object', properties: { n: bound } }
  expect(await issues(schema, { n: 11 })).toEqual([])
  expect(await issues(schema, { n: 10 })).toHaveLength(1)
})

test('keywords next to a reference apply, except in draft 7', async () => {
  const properties = { a: { $ref: '#/definitions/text', minLength: 5 } }
  const schema = { type: 'object', properties, definitions: { text: { type: 'string' } } }
  const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }
  expect(await issues(draft7, { a: 'abc' })).toEqual([])
  expect(await issues(schema, { a: 'abc' })).toEqual(['a: String is too short (3 < 5).'])
})

test('reads a tuple by its draft', async () => {
  const old = { items: [{ type: 'string' }], additionalItems: false }
  const current = { prefixItems: [{ type: 'string' }], items: false }
  for (const list of [old, current]) {
    const schema = { type: 'object', properties: { list } }
    expect(await issues(schema, { list: ['a'] })).toEqual([])
    expect(await issues(schema, { list: [1] })).toHaveLength(1)
    expect(await issues(schema, { list: ['a', 'b'] })).toHaveLength(1)
  }
})

test('reports the name of a part unescaped', async () => {
  const name = 'a/b~c d%20#é'
  expect(await issues({ type: 'object', properties: { [name]: { type: 'string' } } }, { [name]: 1 })).toEqual(
    [`${name}: Instance type "number" is invalid. Expected "string".`],
  )
})

test('treats an undefined property as absent', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  expect(await issues(schema, { a: undefined })).toEqual([])
  expect(await issues({ ...schema, required: ['a'] }, { a: undefined })).toHaveLength(1)
})

test('ignores inherited properties', async () => {
  expect(await issues({ type: 'object', required: ['toString'] }, {})).toHaveLength(1)
  const hidden = JSON.parse('{"__proto__":{"a":"x"}}')
  expect(await issues({ type: 'object', required: ['a'] }, hidden)).toHaveLength(1)
})

test('accepts a frozen schema, and does not change schemas', async () => {
  const schema = { type: 'object', properties: { a: Object.freeze({ $ref: '#/$defs/a' }) }, $defs: { a: {} } }
  jsonSchema(Object.freeze(schema))
  expect(Reflect.ownKeys(schema.$defs.a)).toEqual([])
})

const circle: Record<string, unknown> = { type: 'object' }
circle.default = { circle }
const holding = (a: unknown) => ({ type: 'object', properties: { list: { items: a } } })

test.each([
  [null, 'it is not an object'],
  [undefined, 'it is not an object'],
  ['object', 'it is not an object'],
  [true, 'it is not an object'],
  [[], 'at "the root", [] is not a schema; use an object, true or false'],
  [circle, '"default.circle" is circular; use plain JSON, and $ref for a recursive schema'],
  [holding({ default: 1n }), '"properties.list.items.default" is a BigInt; use plain JSON'],
  [holding({ maximum: Number.NaN }), '"properties.list.items.maximum" is NaN'],
  [{ type: 'object', properties: 5 }, 'at "the root", properties is 5; use an object of schemas'],
  [{ type: 'object', properties: [] }, 'properties is []; use an object of schemas'],
  [{ type: 'object', required: 'x' }, 'at "the root", required is "x"; use an array of names'],
  [{ type: 'object', required: ['a', 1] }, 'required is ["a",1]; use an array of names'],
  [{ type: 'object', patternProperties: { a: {}, '(': {} } }, 'patternProperties is {"a":{},"(":{}}'],
  [holding({ format: ['x'.repeat(60)] }), `format is ["${'x'.repeat(55)}...; use a string`],
  [holding({ format: ['x'.repeat(56)] }), `format is ["${'x'.repeat(56)}"]; use a string`],
  [{ type: 'object', required: [1] }, 'required is [1]; use an array of names'],
  [{ type: 'object', properties: { a: null } }, 'at "a", null is not a schema; use an object, true or false'],
  [{ type: 'object', $defs: { a: 7 } }, 'at "$defs.a", 7 is not a schema'],
  [
    { type: 'object', patternProperties: { '(': {} } },
    'patternProperties is {"(":{}}; use an object whose names are regular',
  ],
  [{ type: 'object', patternProperties: [] }, 'patternProperties is []'],
  [{ type: 'object', patternProperties: { a: 7 } }, 'at "patternProperties.a", 7 is not a schema'],
  [{ type: 'object', additionalProperties: 'no' }, 'at "additionalProperties", "no" is not a schema'],
  [holding({ $ref: '#/$defs/nope' }), '$ref "#/$defs/nope" has no target; define it in $defs'],
  [holding({ $ref: 'https://elsewhere.test/a.json' }), '$ref "https://elsewhere.test/a.json" has no target'],
  [holding({ $ref: 7 }), 'at "list.items", $ref is 7; use a string'],
  [
    holding({ pattern: '(' }),
    'at "list.items", pattern is "("; use a regular expression valid with flag "u"',
  ],
  [holding({ pattern: '[\\w-.]' }), 'pattern is "[\\\\w-.]"; use a regular expression valid with flag "u"'],
  [holding({ pattern: 7 }), 'pattern is 7; use a regular expression'],
  [holding({ enum: 'x' }), 'at "list.items", enum is "x"; use an array of values'],
  [holding({ enum: [] }), 'enum is []; use an array of values'],
  [holding({ type: 'strin' }), 'type is "strin"; use one of string, number'],
  [holding({ type: ['string', 7] }), 'type is ["string",7]; use one of'],
  [holding({ type: [] }), 'type is []; use one of'],
  [holding({ anyOf: {} }), 'anyOf is {}; use an array of schemas'],
  [holding({ oneOf: [] }), 'oneOf is []; use an array of schemas'],
  [holding({ allOf: [{}, 7] }), 'at "list.items.allOf.1", 7 is not a schema'],
  [holding([{}, 7]), 'at "list.items.1", 7 is not a schema'],
  [holding({ not: 7 }), 'at "list.items.not", 7 is not a schema'],
  [holding({ minLength: '3' }), 'minLength is "3"; use a whole number of at least 0'],
  [holding({ maxItems: -1 }), 'maxItems is -1; use a whole number of at least 0'],
  [holding({ minItems: 0.5 }), 'minItems is 0.5; use a whole number'],
  [holding({ minimum: '1' }), 'minimum is "1"; use a number'],
  [holding({ exclusiveMaximum: '1' }), 'exclusiveMaximum is "1"; use a number'],
  [holding({ multipleOf: 0 }), 'multipleOf is 0; use a number above 0'],
  [holding({ format: 7 }), 'format is 7; use a string'],
  [{ type: 'object', $id: 'http://[' }, 'Invalid URL'],
])('rejects an invalid JSON Schema with its place and an alternative (case %#)', (schema, why) => {
  const making = () => jsonSchema(schema as never)
  expect(making).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(making).toThrow('jsonSchema(...) needs a valid JSON Schema: ')
  expect(making).toThrow(why)
})

test('does not check values in a schema, nor unknown keywords', async () => {
  const value = { type: 7, pattern: '(' }
  const properties = { type: { const: value }, pattern: { enum: [value] }, required: true, constructor: {} }
  const schema = { type: 'object', properties, default: value, 'x-more': value, toString: 7 }
  expect(await issues(schema, { type: value, pattern: value, required: 1 })).toEqual([])
})

test('accepts limits of zero and fractions, and boolean schemas', async () => {
  const a = { minLength: 0, maxItems: 0, multipleOf: 0.5, minimum: 0, exclusiveMinimum: false }
  const schema = { type: 'object', properties: { a, b: true, c: false } }
  expect(await issues(schema, { a: 1, b: 1 })).toEqual([])
  expect(await issues(schema, { c: 1 })).not.toEqual([])
})

test('is a Standard Schema of version 1', () => {
  expect(jsonSchema({ type: 'object' })['~standard']).toMatchObject({ version: 1, vendor: 'capstan' })
})

test('follows references to the root, an anchor and an id', async () => {
  const $defs = { a: { $anchor: 'short', maxLength: 3 }, b: { $id: 'https://here.test/b', maxLength: 3 } }
  for (const $ref of ['#short', 'https://here.test/b', '#/$defs/a']) {
    expect(await issues({ type: 'object', properties: { a: { $ref } }, $defs }, { a: 'abcd' })).toHaveLength(
      1,
    )
  }
  expect(await issues({ type: 'object', properties: { a: { $ref: '#' } } }, { a: 1 })).toHaveLength(1)
})

test.each([[[]], ['text'], [null], [undefined], [7]])('rejects %j as arguments', async (value) => {
  expect(await issues({ type: 'object' }, value)).toHaveLength(1)
})

test('arguments of a named type are validated by the schema at run time', async () => {
  const parameters = jsonSchema<{ city: string; days?: number }>({
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
    additionalProperties: false,
  })
  const book = tool({
    name: 'book',
    description: 'Books',
    parameters,
    execute: ({ city, days = 1 }) => `${city.toUpperCase()} ${days}`,
  })
  expect(await book.call({ city: 'Oslo', days: 2 })).toBe('OSLO 2')
  await expect(book.call({ city: 'Oslo', days: 0 })).rejects.toMatchObject({ code: 'invalid_arguments' })
  await expect(book.call({ days: 2 } as never)).rejects.toMatchObject({ code: 'invalid_arguments' })
})

test('an output of a named type is validated by the schema, and goes back to the model when it does not match', async () => {
  const output = jsonSchema<{ city: string }[]>({
    type: 'array',
    items: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  })
  const model = scriptedModel([
    reply.call('final_answer', { result: [{ town: 'Oslo' }] }),
    reply.call('final_answer', { result: [{ city: 'Oslo' }] }),
  ])
  const result = await new Agent({ model, output }).run('Where?')
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['rejected', 'ok'])
  expect(result.orThrow().output.map(({ city }) => city)).toEqual(['Oslo'])
})

const runaway = '^(a+)+$'

test.each<[string, object]>([
  ['a property', { properties: { a: { type: 'string', pattern: runaway } } }],
  ['an item', { properties: { a: { type: 'array', items: { pattern: runaway } } } }],
  ['patternProperties', { patternProperties: { [runaway]: {} } }],
  ['propertyNames', { propertyNames: { pattern: runaway } }],
  ['$defs', { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { pattern: runaway } } }],
  ['a keyword of its own', { properties: { a: { $ref: '#/x/b' } }, x: { b: { pattern: runaway } } }],
  ['a condition', { if: { properties: { a: { pattern: runaway } } }, else: true }],
  ['a dependency', { dependencies: { a: { properties: { b: { pattern: runaway } } } } }],
  ['anyOf within not', { not: { anyOf: [{ patternProperties: { [runaway]: false } }] } }],
])('a pattern that runs away is refused at the definition, in %s', (_where, schema) => {
  expect(() => jsonSchema({ type: 'object', ...schema })).toThrow(
    'the pattern "^(a+)+$" can take forever on some strings; avoid nested repetitions, as in (a+)+',
  )
})

test('a value named pattern is no pattern', () => {
  const properties = { pattern: { type: 'string', default: runaway, enum: [runaway], description: runaway } }
  expect(() => jsonSchema({ type: 'object', properties, examples: [{ pattern: runaway }] })).not.toThrow()
})
