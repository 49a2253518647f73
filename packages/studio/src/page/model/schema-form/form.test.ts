import { jsonSchema } from '@capstan/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../../../scripts/cases.mjs'
import { formCases } from '../../../../test/fixtures/form-schemas.js'
import { type Field, fieldOf } from './field.js'
import {
  makeForm,
  problemsAt,
  problemsOf,
  problemsOfLines,
  problemsOfRejection,
  readForm,
  writeForm,
} from './form.js'
import {
  type FormState,
  fitsField,
  initialState,
  itemField,
  nodeOf,
  otherField,
  presentState,
  stateOf,
} from './form-state.js'
import { type JsonNode, parseJson, writeJson } from './json-node.js'

describe.each(formCases)('$name', ({ schema, fields, empty, values, odd = [] }) => {
  const field = fieldOf(schema)

  test('has these fields', () => {
    expect(outline(field)).toBe(fields)
  })

  test('an untouched form sends what is required', () => {
    expect(JSON.parse(writeForm(field, makeForm(schema).state))).toEqual(empty)
  })

  test('shows values in fields, and sends them again', () => {
    for (const value of values) {
      const { state } = makeForm(schema, JSON.stringify(value))
      expect(JSON.parse(writeForm(field, state))).toEqual(value)
      expect(hasJson(field, state), JSON.stringify(state)).toBe(false)
    }
  })

  test('shows values that do not fit as JSON, and loses nothing', () => {
    for (const value of odd) {
      const { state } = makeForm(schema, JSON.stringify(value))
      expect(JSON.parse(writeForm(field, state))).toEqual(value)
      expect(hasJson(field, state), JSON.stringify(state)).toBe(true)
    }
  })
})

test('absent, null and empty are three states', () => {
  const schema = { type: 'object', properties: { note: { type: ['string', 'null'] } } }
  const states = ['{}', '{"note":null}', '{"note":""}'].map((json) => makeForm(schema, json))
  expect(states.map(({ field, state }) => writeForm(field, state))).toEqual([
    '{}',
    '{"note":null}',
    '{"note":""}',
  ])
  expect(states.map(({ state }) => state.is === 'object' && state.fields[0]?.is)).toEqual([
    'absent',
    'null',
    'text',
  ])
})

test('numbers stay as they were typed', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: true }
  const json = '{"n":1.50,"other":12345678901234567890}'
  const { field, state } = makeForm(schema, json)
  expect(writeForm(field, state)).toBe(json)
  const typed: FormState = { is: 'object', fields: [{ is: 'number', text: ' 1.5e ' }], others: [] }
  expect(writeForm(field, typed)).toBe('{"n":" 1.5e "}')
})

test('a field that is switched on has its default', () => {
  const field = fieldOf({
    type: 'object',
    properties: { n: { type: 'integer', default: 7 }, b: { type: 'boolean' } },
  })
  const [n, b] = field.kind === 'object' ? field.fields() : []
  expect(n && presentState(n.field)).toEqual({ is: 'number', text: '7' })
  expect(b && presentState(b.field)).toEqual({ is: 'boolean', value: false })
})

test('a schema that requires itself has an end', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  expect(writeForm(fieldOf(schema), initialState(fieldOf(schema)))).toMatch(/^(\{"next":)+\{\}\}+$/)
})

test.each([
  [{ $ref: '#' }, 'it refers to itself'],
  [{ $ref: '#/$defs/Gone' }, '"$ref" "#/$defs/Gone" has no target'],
  [{ $ref: 'other.json' }, '"$ref" "other.json" has no target'],
  [{ $ref: '#/%', $defs: {} }, '"$ref" "#/%" has no target'],
  [{ allOf: [{ type: 'string' }, { type: 'number' }] }, '"allOf" with two values for "type"'],
  [{ allOf: [{ pattern: 'a' }, { pattern: 'b' }] }, '"allOf" with two values for "pattern"'],
  [{ anyOf: [{}, {}], oneOf: [{}, {}] }, '"anyOf" next to "oneOf"'],
  [{ type: 'file' }, 'type "file"'],
  [{}, 'any value is valid'],
  [true, 'any value is valid'],
  [false, 'no value is valid'],
])('%j is a JSON field: %s', (schema, reason) => {
  expect(fieldOf(schema)).toMatchObject({ kind: 'json', reason })
})

test('constants with titles are a choice, and unions of one option are that option', () => {
  const units = {
    oneOf: [
      { const: 'C', title: 'Celsius' },
      { const: 'F', title: 'Fahrenheit' },
    ],
  }
  expect(fieldOf(units)).toMatchObject({
    kind: 'choice',
    options: [{ label: 'C: Celsius' }, { label: 'F: Fahrenheit' }],
  })
  expect(fieldOf({ anyOf: [{ type: 'string', title: 'inner' }], description: 'outer' })).toMatchObject({
    kind: 'text',
    title: 'inner',
    description: 'outer',
  })
})

test('texts that are not JSON, and names given twice, are told at their fields', () => {
  const schema = {
    type: 'object',
    properties: {
      any: {},
      list: { type: 'array', items: {} },
      map: { type: 'object', additionalProperties: true },
    },
  }
  const { field } = makeForm(schema)
  const json = (text: string): FormState => ({ is: 'json', text })
  const state: FormState = {
    is: 'object',
    fields: [
      json('{"a"'),
      { is: 'list', items: [json('1'), json('oops')] },
      {
        is: 'object',
        fields: [],
        others: [
          { name: 'x', state: json('1') },
          { name: 'x', state: json('2') },
        ],
      },
    ],
    others: [],
  }
  expect(problemsOf(field, state).map(({ path }) => path)).toEqual(['any', 'list.1', 'map.x'])
  expect(problemsOf(field, state)[2]?.message).toBe('The name "x" is used twice.')
})

test('lines of the server are shown at the innermost field that is on the form', () => {
  const { field } = makeForm({
    type: 'object',
    properties: { guest: { type: 'object', properties: { name: { type: 'string' } } } },
  })
  const problems = problemsOfLines(
    ['guest.name: Required (given: nothing)', 'guest.age.0: too old', 'Unrecognized key: "x"', 'odd: text'],
    field,
  )
  expect(problemsAt(problems, 'guest.name')).toEqual(['Required (given: nothing)'])
  expect(problemsAt(problems, 'guest', ['guest.name'])).toEqual(['too old'])
  expect(problemsAt(problems, '', ['guest'])).toEqual(['Unrecognized key: "x"', 'odd: text'])
})

test('what a model reads of arguments that do not fit is told at the fields', () => {
  const { field } = makeForm({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } })
  const text =
    'invalid arguments for "x", the tool did not run: a: no; not this (given: 1); b: too small (given: 0)\nExpected: { a: string }'
  expect(problemsOfRejection(text, field)).toEqual([
    { path: 'a', message: 'no; not this (given: 1)' },
    { path: 'b', message: 'too small (given: 0)' },
  ])
  expect(problemsOfRejection('it failed', field)).toEqual([])
})

test('an option of a choice in another spelling is kept as it was written', () => {
  const field = fieldOf({ enum: [1, { a: 1, b: 2 }] })
  expect(readForm(field, '1')).toEqual({ is: 'choice', option: 0 })
  for (const json of ['1.0', '{"b":2,"a":1}']) {
    const state = readForm(field, json)
    expect(state && writeForm(field, state)).toBe(json)
  }
})

test('JSON is read as it was written', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const parsed = parseJson(json)
      if (!('node' in parsed)) throw new Error(parsed.problem)
      expect(JSON.parse(writeJson(parsed.node))).toEqual(JSON.parse(json))
      expect(JSON.parse(writeJson(parsed.node, true))).toEqual(JSON.parse(json))
    }),
    { numRuns: cases(1000) },
  )
  expect(writeJson({ is: 'object', entries: [['a', { is: 'list', items: [] }]] }, true)).toBe(
    '{\n  "a": []\n}',
  )
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`
  const parsed = parseJson(deep)
  expect('node' in parsed && writeJson(parsed.node)).toBe(deep)
})

test('form to value to form loses nothing, for any schema and any value', () => {
  fc.assert(
    fc.property(anySchema, fc.jsonValue(), (schema, value) => {
      const field = fieldOf(schema)
      const json = JSON.stringify(value)
      const state = readForm(field, json)
      if (!state) throw new Error('not read')
      expect(JSON.parse(writeForm(field, state))).toEqual(JSON.parse(json))
    }),
    { numRuns: cases(2000) },
  )
})

test('form to value to form loses nothing that was typed, and what fits the form fits the schema', () => {
  fc.assert(
    fc.property(anySchema, fc.infiniteStream(fc.nat(999)), (schema, numbers) => {
      const field = fieldOf(schema)
      const next = () => Number(numbers.next().value)
      const node = nodeOf(field, typed(field, next, 0))
      if (!node) return
      expect(byName(nodeOf(field, stateOf(field, node)))).toEqual(byName(node))
      const value: unknown = JSON.parse(writeJson(node))
      if (!fitsField(field, node)) return
      expect(jsonSchema(schema)['~standard'].validate(value)).not.toHaveProperty('issues')
    }),
    { numRuns: cases(2000) },
  )
})

/** A value that matches two options may be shown as the other one, whose names are in a different order. */
function byName(node: JsonNode | undefined): unknown {
  if (node?.is === 'list') return { is: 'list', items: node.items.map(byName) }
  if (node?.is !== 'object') return node
  return { is: 'object', entries: new Map(node.entries.map(([name, value]) => [name, byName(value)])) }
}

/** Fills in a form at random. */
function typed(field: Field, next: () => number, depth: number): FormState {
  const chance = next()
  if (depth > 4 || chance % 7 === 0) return { is: 'absent' }
  if (field.isNullable && chance % 7 === 1) return { is: 'null' }
  if (field.kind === 'text')
    return { is: 'text', text: ['', 'Oslo', '12', ' ', 'é\u0000"'][chance % 5] ?? '' }
  if (field.kind === 'number')
    return { is: 'number', text: ['', '1', '-2.50', '1e3', 'x', '007'][chance % 6] ?? '' }
  if (field.kind === 'boolean') return { is: 'boolean', value: chance % 2 === 0 }
  if (field.kind === 'choice') return { is: 'choice', option: chance % field.options.length }
  if (field.kind === 'json')
    return { is: 'json', text: ['', '{"a": 1}', '[1.0]', 'oops', '"'][chance % 5] ?? '' }
  if (field.kind === 'union') {
    const option = chance % field.options.length
    const inner = field.options[option]?.field
    return { is: 'union', option, state: inner ? typed(inner, next, depth + 1) : { is: 'absent' } }
  }
  if (field.kind === 'list') {
    const most = field.item ? 3 : field.prefix().length
    const items = Array.from({ length: Math.min(most, chance % 4) }, (_, at) =>
      typed(itemField(field, at), next, depth + 1),
    )
    return { is: 'list', items }
  }
  const others = ['u', 'v'].slice(0, field.others ? chance % 3 : 0)
  return {
    is: 'object',
    fields: field.fields().map((one) => typed(one.field, next, depth + 1)),
    others: others.map((name) => ({ name, state: typed(otherField(field), next, depth + 1) })),
  }
}

const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
  const scalar = fc.constantFrom<Record<string, unknown>>(
    { type: 'string' },
    { type: 'number' },
    { type: 'integer' },
    { type: 'boolean' },
    { type: 'null' },
    { type: ['string', 'null'] },
    { type: ['integer', 'boolean'] },
    { enum: ['a', 1, null, { b: [] }] },
    { const: 'k' },
    {},
  )
  const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('schema'), { maxKeys: 3 })
  const object = fc
    .record({ properties, isOpen: fc.constantFrom(false, true), some: fc.boolean() })
    .map((given) => ({
      type: 'object',
      properties: given.properties,
      required: given.some ? Object.keys(given.properties) : [],
      additionalProperties: given.isOpen,
    }))
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'schema' },
      scalar,
      object,
      tie('schema').map((items) => ({ type: 'array', items })),
      tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
      fc
        .array(tie('schema'), { minLength: 1, maxLength: 3 })
        .map((prefixItems) => ({ type: 'array', prefixItems, items: false })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    ),
  }
})

function hasJson(field: Field, state: FormState): boolean {
  if (state.is === 'json') return field.kind !== 'json'
  if (state.is === 'union' && field.kind === 'union') {
    const option = field.options[state.option]
    return !option || hasJson(option.field, state.state)
  }
  if (state.is === 'list' && field.kind === 'list') {
    return (
      (!field.item && state.items.length > field.prefix().length) ||
      state.items.some((item, at) => hasJson(itemField(field, at), item))
    )
  }
  if (state.is !== 'object' || field.kind !== 'object') return false
  return (
    (state.others.length > 0 && !field.others) ||
    field.fields().some((one, at) => hasJson(one.field, state.fields[at] ?? { is: 'absent' })) ||
    state.others.some((other) => hasJson(otherField(field), other.state))
  )
}

/** Describes a field on one line, at most four levels deep. */
function outline(field: Field, depth = 0): string {
  const end = `${field.default ? ` = ${writeJson(field.default)}` : ''}${field.isNullable ? ' or null' : ''}`
  return whole(field, depth) + end
}

function whole(field: Field, depth: number): string {
  if (field.kind === 'text') return field.isLong ? 'long text' : (field.format ?? 'text')
  if (field.kind === 'number')
    return `${field.isInteger ? 'integer' : 'number'}${field.bounds ? ` (${field.bounds})` : ''}`
  if (field.kind === 'choice') return field.options.map(({ value }) => writeJson(value)).join(' | ')
  if (field.kind === 'json') return `JSON (${field.reason})`
  if (field.kind === 'union') {
    return `one of ${field.options.map((one) => `${one.label}: ${outline(one.field, depth + 1)}`).join(' | ')}`
  }
  if (field.kind === 'list') {
    if (depth > 3) return '[...]'
    const items = field.prefix().map((item) => outline(item, depth + 1))
    return `[${[...items, ...(field.item ? [`...${outline(field.item(), depth + 1)}`] : [])].join(', ')}]`
  }
  if (field.kind !== 'object') return field.kind
  const names = field
    .fields()
    .map((one) => `${one.name}${one.isRequired ? '*' : ''}: ${outline(one.field, depth + 1)}`)
  return `{${[...names, ...(field.others ? [`...${outline(field.others(), depth + 1)}`] : [])].join(', ')}}`
}
