import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord, listOf } from '../json.js'

/** A part of a value that does not fit a schema. */
interface Violation {
  readonly path: readonly string[]
  readonly message: string
}

/**
 * Returns the first part of a value that does not fit a JSON Schema. A small validator for Capstan's own schemas and for
 * examples of tests: it follows only references within the schema, ignores formats, and rejects every value under an unsupported
 * keyword. Schemas of users, wrapped by `jsonSchema`, have a complete validator.
 */
export function findViolation(value: unknown, schema: unknown, root = schema): Violation | undefined {
  if (schema === true) return undefined
  if (!isRecord(schema)) return { path: [], message: 'is not allowed' }
  const fits = (inner: unknown) => !findViolation(value, inner, root)
  for (const [keyword, rule] of Object.entries(schema)) {
    const isValid =
      ruleOf(keyword, valueKeywords)?.(value, rule) ?? ruleOf(keyword, choices)?.(rule, fits) ?? true
    if (!isValid) return { path: [], message: `does not fit ${keyword}: ${JSON.stringify(rule)}` }
    for (const [part, inner, key] of ruleOf(keyword, schemaKeywords)?.(value, rule, schema) ?? []) {
      const found = findViolation(part, inner, root)
      if (found) return { ...found, path: [...(key === undefined ? [] : [key]), ...found.path] }
    }
  }
  const referred = [
    ...(schema.$ref === undefined ? [] : [resolveRef(String(schema.$ref), root)]),
    ...(schema.if === undefined ? [] : [(fits(schema.if) ? schema.then : schema.else) ?? true]),
  ]
  return referred.map((inner) => findViolation(value, inner, root)).find((found) => found !== undefined)
}

type Fits = (schema: unknown) => boolean

/** Checks of the keywords that apply to a value itself, not to its parts. */
const valueKeywords: Readonly<Record<string, ValueKeyword>> = {
  type: (value, rule) => [rule].flat().some((type) => isOfType(value, type)),
  const: isSame,
  enum: (value, rule) => Array.isArray(rule) && rule.some((one) => isSame(value, one)),
  minimum: ofNumber((value, rule) => value >= rule),
  maximum: ofNumber((value, rule) => value <= rule),
  exclusiveMinimum: ofNumber((value, rule) => value > rule),
  exclusiveMaximum: ofNumber((value, rule) => value < rule),
  multipleOf: ofNumber((value, rule) => Math.abs(value / rule - Math.round(value / rule)) < 1e-7),
  minLength: ofText((value, rule) => [...value].length >= Number(rule)),
  maxLength: ofText((value, rule) => [...value].length <= Number(rule)),
  pattern: ofText((value, rule) => new RegExp(String(rule), 'u').test(value)),
  minItems: ofList((value, rule) => value.length >= Number(rule)),
  maxItems: ofList((value, rule) => value.length <= Number(rule)),
  uniqueItems: ofList((value, rule) => !rule || new Set(value.map(toText)).size === value.length),
  minProperties: ofObject((value, rule) => Object.keys(value).length >= Number(rule)),
  maxProperties: ofObject((value, rule) => Object.keys(value).length <= Number(rule)),
  required: ofObject(hasAll),
  dependentRequired: ofObject((value, rule) =>
    Object.entries(Object(rule)).every(
      ([name, names]) => !Object.hasOwn(value, name) || hasAll(value, names),
    ),
  ),
}

/** Keywords that contain schemas: each returns the parts of the value with the schemas that apply to them. */
const schemaKeywords: Readonly<Record<string, Apply>> = {
  allOf: (value, rule) => listOf(rule).map((schema) => [value, schema]),
  properties: (value, rule) => fieldsOf(rule).flatMap(([name, schema]) => field(value, name, schema)),
  patternProperties: (value, rule) =>
    fieldsOf(value).flatMap(([name, part]) =>
      fieldsOf(rule).flatMap(([pattern, schema]) => (isMatch(pattern, name) ? [[part, schema, name]] : [])),
    ),
  additionalProperties: otherFields,
  unevaluatedProperties: otherFields,
  propertyNames: (value, rule) => fieldsOf(value).map(([name]) => [name, rule]),
  dependentSchemas: (value, rule) =>
    fieldsOf(rule).flatMap(([name, schema]) => (hasField(value, name) ? [[value, schema]] : [])),
  prefixItems: leadingItems,
  items: (value, rule, siblings) =>
    Array.isArray(rule) ? leadingItems(value, rule) : laterItems(value, rule, siblings.prefixItems),
  additionalItems: (value, rule, { items }) => (Array.isArray(items) ? laterItems(value, rule, items) : []),
  unevaluatedItems: (value, rule, { items, prefixItems }) =>
    items === undefined || Array.isArray(items) ? laterItems(value, rule, items ?? prefixItems) : [],
}

/** Keywords that combine schemas, and unsupported keywords, which fit no value. */
const choices: Readonly<Record<string, (rule: unknown, fits: Fits) => boolean>> = {
  anyOf: (rule, fits) => Array.isArray(rule) && rule.some(fits),
  oneOf: (rule, fits) => Array.isArray(rule) && rule.filter(fits).length === 1,
  not: (rule, fits) => !fits(rule),
  ...Object.fromEntries(
    ['contains', 'dependencies', '$dynamicRef', '$recursiveRef'].map((keyword) => [keyword, () => false]),
  ),
}

function ruleOf<Rule>(keyword: string, rules: Readonly<Record<string, Rule>>): Rule | undefined {
  return Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
}

type ValueKeyword = (value: unknown, rule: unknown) => boolean

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

function isSame(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other)
}

/** Serializes a value with sorted fields: equal values may differ in their order. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  )
}

/** Compares names only: an entry turned into a string would call a field named `toString`. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

function ofNumber(holds: (value: number, rule: number) => boolean): ValueKeyword {
  return (value, rule) => typeof value !== 'number' || holds(value, Number(rule))
}

function ofText(holds: (value: string, rule: unknown) => boolean): ValueKeyword {
  return (value, rule) => typeof value !== 'string' || holds(value, rule)
}

function ofList(holds: (value: readonly unknown[], rule: unknown) => boolean): ValueKeyword {
  return (value, rule) => !Array.isArray(value) || holds(value, rule)
}

function ofObject(holds: (value: object, rule: unknown) => boolean): ValueKeyword {
  return (value, rule) => !isRecord(value) || holds(value, rule)
}

function hasAll(value: object, names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => Object.hasOwn(value, name))
}

type Schema = Readonly<Record<string, unknown>>

/** A part of a value, with the schema that applies to it. Without a key it is the whole value. */
type Applied = readonly [part: unknown, schema: unknown, key?: string]

type Apply = (value: unknown, rule: unknown, siblings: Schema) => readonly Applied[]

/** Returns the fields that `properties` and `patternProperties` do not name. */
function otherFields(
  value: unknown,
  rule: unknown,
  { properties, patternProperties }: Schema,
): readonly Applied[] {
  const patterns = fieldsOf(patternProperties).map(([pattern]) => pattern)
  return fieldsOf(value)
    .filter(([name]) => !hasField(properties, name) && !patterns.some((pattern) => isMatch(pattern, name)))
    .map(([name, part]) => [part, rule, name])
}

function leadingItems(value: unknown, rule: unknown): readonly Applied[] {
  const schemas = listOf(rule)
  return listOf(value)
    .slice(0, schemas.length)
    .map((part, at) => [part, schemas[at], String(at)])
}

function laterItems(value: unknown, rule: unknown, before: unknown): readonly Applied[] {
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

/** Returns the target of a reference within the schema; undefined if there is none. */
export function resolveRef($ref: string, root: unknown): unknown {
  if ($ref === '#') return root
  if (!$ref.startsWith('#/')) return undefined
  const names = decodeURIComponent($ref)
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((part, name) => {
    const isThere = (isRecord(part) || Array.isArray(part)) && Object.hasOwn(part, name)
    return isThere ? (part as Readonly<Record<string, unknown>>)[name] : undefined
  }, root)
}

/** Whether a value fits a JSON Schema, apart from formats. False for a schema that cannot be read. */
export function fits(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  try {
    return findViolation(value, schema) === undefined
  } catch {
    return false
  }
}

/** A JSON Schema as tool parameters: arguments are validated and passed on unchanged. */
export interface JsonSchemaParameters extends StandardSchemaV1<Record<string, unknown>> {
  readonly schema: Readonly<Record<string, unknown>>
}

/** Wraps a JSON Schema of one of Capstan's own tools, without the validator of all drafts that `jsonSchema` uses. */
export function ownParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return {
    schema,
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const found = findViolation(value, schema)
        return found ? { issues: [found] } : { value: value as Record<string, unknown> }
      },
    },
  }
}
