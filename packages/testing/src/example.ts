import { isRecord } from '@capstan/core/internal'
import { resolveRef } from '@capstan/schema/resolve-ref'
import { fits } from './fits-schema.js'

type Schema = Readonly<Record<string, unknown>>

/**
 * Returns a small example for a JSON Schema, with only the required parts. Undefined if no example could be found, for
 * example because a pattern cannot be guessed.
 */
export function exampleOf(schema: Schema): unknown {
  const example = exampleFor(schema, { root: schema, depth: 0 })
  return fits(example, schema) ? example : undefined
}

interface Position {
  readonly root: Schema
  readonly depth: number
}

/** Maximum number of nested references to follow, because a schema may be recursive. */
const maxDepth = 12

function exampleFor(given: unknown, { root, depth }: Position): unknown {
  const schema = resolve(given, { root, depth })
  if (schema.const !== undefined) return schema.const
  for (const list of [schema.examples, schema.enum])
    if (Array.isArray(list) && list.length > 0) return list[0]
  if (schema.default !== undefined) return schema.default
  const inner = { root, depth: depth + 1 }
  const [choice] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? []
  if (choice !== undefined)
    return exampleFor({ ...without(schema, ['anyOf', 'oneOf']), allOf: [choice] }, inner)
  return exampleOfType(schema, inner)
}

function exampleOfType(schema: Schema, inner: Position): unknown {
  const type = [schema.type].flat().find((type) => type !== 'null')
  if (type === 'object' || (type === undefined && schema.properties)) return objectOf(schema, inner)
  if (type === 'array' || (type === undefined && schema.items)) return listOf(schema, inner)
  if (type === 'string') return exampleString(schema)
  if (type === 'number' || type === 'integer') return exampleNumber(schema)
  return type === 'boolean' ? true : null
}

/** Returns a schema in which `$ref` and `allOf` are merged. */
function resolve(given: unknown, position: Position): Schema {
  const schema = isRecord(given) ? given : {}
  const { $ref, allOf } = schema
  const parts: unknown[] = Array.isArray(allOf) ? [...allOf] : []
  if (typeof $ref === 'string') parts.unshift(resolveRef($ref, position.root))
  if (parts.length === 0 || position.depth > maxDepth) return schema
  const deeper = { ...position, depth: position.depth + 1 }
  return parts.reduce<Schema>(
    (joined, part) => merge(joined, resolve(part, deeper)),
    without(schema, ['$ref', 'allOf']),
  )
}

function merge(one: Schema, other: Schema): Schema {
  const [known, further] = [recordOf(one.properties), recordOf(other.properties)]
  const both = Object.keys(further).filter((name) => name in known)
  const joined = both.map((name) => [name, { allOf: [known[name], further[name]] }])
  const properties = { ...known, ...further, ...Object.fromEntries(joined) }
  const required = [...namesOf(one), ...namesOf(other)]
  const isObject = required.length > 0 || Object.keys(properties).length > 0
  return { ...one, ...other, ...(isObject ? { properties, required } : {}) }
}

function objectOf(schema: Schema, inner: Position): unknown {
  const known = recordOf(schema.properties)
  const more = isRecord(schema.additionalProperties) ? schema.additionalProperties : {}
  const names = new Set(namesOf(schema))
  const further = [...Object.keys(known), ...['first', 'second', 'third'].filter((name) => !(name in known))]
  for (const name of further) if (names.size < Number(schema.minProperties ?? 0)) names.add(name)
  return Object.fromEntries([...names].map((name) => [name, exampleFor(known[name] ?? more, inner)]))
}

/**
 * Returns an array with one item, unless the schema requires a different length. Deeply nested arrays are empty,
 * because a schema may be recursive.
 */
function listOf({ items, prefixItems, minItems, maxItems = 10 }: Schema, inner: Position): unknown {
  const tuple: readonly unknown[] = [prefixItems, items].find(Array.isArray) ?? []
  const usual = isRecord(items) && inner.depth <= 5 ? 1 : 0
  const length = Math.min(Math.max(Number(minItems ?? usual), tuple.length), Number(maxItems), 10)
  return Array.from({ length }, (_, at) => exampleFor(tuple[at] ?? items, inner))
}

function without(schema: Schema, keywords: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

function namesOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required : []
}

function recordOf(value: unknown): Schema {
  return isRecord(value) ? value : {}
}

/**
 * Returns a string in the schema's format. If the format is unknown, tries to return a string that matches the schema's
 * length and pattern.
 */
export function exampleString(schema: Readonly<Record<string, unknown>>): string {
  const { format, minLength = 0, maxLength = 10_000 } = schema
  const long = 'text '.repeat(Math.min(Number(minLength), 200) / 5 + 1)
  const lengths = [long.slice(0, Math.max(Number(minLength), 4)), long.slice(0, Number(maxLength))]
  const ofFormat = Object.hasOwn(formats, String(format)) ? formats[String(format)] : undefined
  return firstThatFits(ofFormat === undefined ? ['text', ...lengths, ...sampleStrings] : [ofFormat], schema)
}

/** Returns a number that matches the schema. Returns 1 if possible, otherwise a number near the limits. */
function exampleNumber(schema: Readonly<Record<string, unknown>>): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema
  const step = typeof multipleOf === 'number' ? multipleOf : 1
  const low = Math.max(...[minimum, exclusiveMinimum].filter(isNumber))
  const high = Math.min(...[maximum, exclusiveMaximum].filter(isNumber))
  const steps = [
    Math.ceil(low / step),
    Math.floor(low / step) + 1,
    Math.floor(high / step),
    Math.ceil(high / step) - 1,
  ]
  const onStep = steps.map((count) => Number((count * step).toPrecision(12)))
  return firstThatFits([1, ...onStep, step, low, high, (low + high) / 2].filter(Number.isFinite), schema)
}

/** Returns the first candidate that matches the schema. If none does, returns the first candidate. */
function firstThatFits<T extends string | number>(
  candidates: readonly T[],
  schema: Readonly<Record<string, unknown>>,
): T {
  return candidates.find((candidate) => fits(candidate, schema)) ?? (candidates[0] as T)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

const sampleStrings = [
  'a',
  'A',
  'AB',
  'ABC',
  'abc',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  'a1',
  'A1',
  '1.0.0',
  '10:30',
  '#aabbcc',
]

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  'uri-reference': 'https://example.com',
  'uri-template': 'https://example.com',
  'json-pointer': '/name',
  'json-pointer-uri-fragment': '#/name',
  'relative-json-pointer': '0',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  base64: 'dGV4dA==',
  e164: '+15550100100',
}
