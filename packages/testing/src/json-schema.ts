import {
  type AppliedSchema,
  canonicalJson,
  isRecord,
  type Keyword,
  listOf,
  ownKeywords,
  findViolation as ownViolation,
  type Violation,
} from '@capstan/core/internal'

/**
 * Returns the first part of a value that does not fit a JSON Schema of a tool. Formats are ignored: examples cannot be
 * found for all. References are followed within the schema only. Values under an unsupported keyword are rejected.
 */
export function findViolation(value: unknown, schema: unknown, root = schema): Violation | undefined {
  return ownViolation(value, schema, { root, keywords })
}

/** Whether a value fits a JSON Schema, apart from formats. False for a schema that cannot be read. */
export function fits(value: unknown, schema: Schema): boolean {
  try {
    return findViolation(value, schema) === undefined
  } catch {
    return false
  }
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

type Schema = Readonly<Record<string, unknown>>

/** Keywords that apply to a value itself, not to its parts. */
const valueKeywords: Readonly<Record<string, Keyword>> = {
  const: isSame,
  enum: (value, rule) => listOf(rule).some((one) => isSame(value, one)),
  exclusiveMinimum: ofNumber((value, rule) => value > rule),
  exclusiveMaximum: ofNumber((value, rule) => value < rule),
  multipleOf: ofNumber((value, rule) => Math.abs(value / rule - Math.round(value / rule)) < 1e-7),
  maxLength: (value, rule) => typeof value !== 'string' || [...value].length <= Number(rule),
  minItems: ofList((value, rule) => value.length >= Number(rule)),
  maxItems: ofList((value, rule) => value.length <= Number(rule)),
  uniqueItems: ofList((value, rule) => !rule || new Set(value.map(canonicalJson)).size === value.length),
  minProperties: ofObject((value, rule) => Object.keys(value).length >= Number(rule)),
  maxProperties: ofObject((value, rule) => Object.keys(value).length <= Number(rule)),
  required: ofObject(hasAll),
  dependentRequired: ofObject((value, rule) =>
    Object.entries(Object(rule)).every(
      ([name, names]) => !Object.hasOwn(value, name) || hasAll(value, names),
    ),
  ),
  oneOf: (_, rule, { fits }) => Array.isArray(rule) && rule.filter(fits).length === 1,
  not: (_, rule, { fits }) => !fits(rule),
}

/** Keywords that contain schemas. */
const schemaKeywords: Readonly<Record<string, Keyword>> = {
  $ref: (value, rule, { root }) => [[value, resolveRef(String(rule), root)]],
  allOf: (value, rule) => listOf(rule).map((schema) => [value, schema]),
  if: (value, rule, { schema, fits }) => [[value, (fits(rule) ? schema.then : schema.else) ?? true]],
  patternProperties: (value, rule) =>
    fieldsOf(value).flatMap(([name, part]) =>
      fieldsOf(rule).flatMap(([pattern, schema]): readonly AppliedSchema[] =>
        isMatch(pattern, name) ? [[part, schema, name]] : [],
      ),
    ),
  additionalProperties: otherFields,
  unevaluatedProperties: otherFields,
  dependentSchemas: (value, rule) =>
    fieldsOf(rule).flatMap(([name, schema]): readonly AppliedSchema[] =>
      hasField(value, name) ? [[value, schema]] : [],
    ),
  prefixItems: leadingItems,
  items: (value, rule, { schema }) =>
    Array.isArray(rule) ? leadingItems(value, rule) : laterItems(value, rule, schema.prefixItems),
  additionalItems: (value, rule, { schema: { items } }) =>
    Array.isArray(items) ? laterItems(value, rule, items) : [],
  unevaluatedItems: (value, rule, { schema: { items, prefixItems } }) =>
    items === undefined || Array.isArray(items) ? laterItems(value, rule, items ?? prefixItems) : [],
}

const unsupported = ['contains', 'dependencies', '$dynamicRef', '$recursiveRef']

const keywords: Readonly<Record<string, Keyword>> = {
  ...ownKeywords,
  ...valueKeywords,
  ...schemaKeywords,
  ...Object.fromEntries(unsupported.map((keyword) => [keyword, () => false])),
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

function ofNumber(holds: (value: number, rule: number) => boolean): Keyword {
  return (value, rule) => typeof value !== 'number' || holds(value, Number(rule))
}

function ofList(holds: (value: readonly unknown[], rule: unknown) => boolean): Keyword {
  return (value, rule) => !Array.isArray(value) || holds(value, rule)
}

function ofObject(holds: (value: object, rule: unknown) => boolean): Keyword {
  return (value, rule) => !isRecord(value) || holds(value, rule)
}

function hasAll(value: object, names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => Object.hasOwn(value, name))
}

/** Returns the fields that `properties` and `patternProperties` do not name. */
function otherFields(
  value: unknown,
  rule: unknown,
  { schema: { properties, patternProperties } }: { readonly schema: Schema },
): readonly AppliedSchema[] {
  const patterns = fieldsOf(patternProperties).map(([pattern]) => pattern)
  return fieldsOf(value)
    .filter(([name]) => !hasField(properties, name) && !patterns.some((pattern) => isMatch(pattern, name)))
    .map(([name, part]) => [part, rule, name])
}

function leadingItems(value: unknown, rule: unknown): readonly AppliedSchema[] {
  const schemas = listOf(rule)
  return listOf(value)
    .slice(0, schemas.length)
    .map((part, at) => [part, schemas[at], String(at)])
}

function laterItems(value: unknown, rule: unknown, before: unknown): readonly AppliedSchema[] {
  const { length } = listOf(before)
  return listOf(value)
    .slice(length)
    .map((part, at) => [part, rule, String(length + at)])
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
