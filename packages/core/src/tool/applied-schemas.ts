import { isRecord, listOf } from '../words/record.js'

type Schema = Readonly<Record<string, unknown>>

/** A part of a value that a schema speaks of; without a key, all of it. */
export type Applied = readonly [part: unknown, schema: unknown, key?: string]

type Apply = (value: unknown, rule: unknown, beside: Schema) => readonly Applied[]

/** The keywords of JSON Schema that hold schemas: which of them speak of which parts of a value. */
export const appliedSchemas: Readonly<Record<string, Apply>> = {
  allOf: (value, rule) => listOf(rule).map((schema) => [value, schema]),
  properties: (value, rule) => fieldsOf(rule).flatMap(([name, schema]) => field(value, name, schema)),
  patternProperties: (value, rule) =>
    fieldsOf(value).flatMap(([name, part]) =>
      fieldsOf(rule).flatMap(([pattern, schema]) => (isMatch(pattern, name) ? [[part, schema, name]] : [])),
    ),
  additionalProperties: further,
  unevaluatedProperties: further,
  propertyNames: (value, rule) => fieldsOf(value).map(([name]) => [name, rule]),
  dependentSchemas: (value, rule) =>
    fieldsOf(rule).flatMap(([name, schema]) => (hasField(value, name) ? [[value, schema]] : [])),
  prefixItems: first,
  items: (value, rule, beside) =>
    Array.isArray(rule) ? first(value, rule) : behind(value, rule, beside.prefixItems),
  additionalItems: (value, rule, { items }) => (Array.isArray(items) ? behind(value, rule, items) : []),
  unevaluatedItems: (value, rule, { items, prefixItems }) =>
    items === undefined || Array.isArray(items) ? behind(value, rule, items ?? prefixItems) : [],
}

/** The fields that no neighbour speaks of. */
function further(
  value: unknown,
  rule: unknown,
  { properties, patternProperties }: Schema,
): readonly Applied[] {
  const patterns = fieldsOf(patternProperties).map(([pattern]) => pattern)
  return fieldsOf(value)
    .filter(([name]) => !hasField(properties, name) && !patterns.some((pattern) => isMatch(pattern, name)))
    .map(([name, part]) => [part, rule, name])
}

function first(value: unknown, rule: unknown): readonly Applied[] {
  const schemas = listOf(rule)
  return listOf(value)
    .slice(0, schemas.length)
    .map((part, at) => [part, schemas[at], String(at)])
}

function behind(value: unknown, rule: unknown, before: unknown): readonly Applied[] {
  const { length } = listOf(before)
  return listOf(value)
    .slice(length)
    .map((part, at) => [part, rule, String(length + at)])
}

function field(value: unknown, name: string, schema: unknown): readonly Applied[] {
  return isRecord(value) && Object.hasOwn(value, name) ? [[value[name], schema, name]] : []
}

function hasField(value: unknown, name: string): boolean {
  return isRecord(value) && Object.hasOwn(value, name)
}

function fieldsOf(value: unknown): readonly (readonly [name: string, part: unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

function isMatch(pattern: string, name: string): boolean {
  return new RegExp(pattern, 'u').test(name)
}
