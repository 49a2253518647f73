import { isRecord } from './is-record.js'
import { resolveRef } from './resolve-ref.js'

type Schema = Readonly<Record<string, unknown>>

/** A part of a value that does not match a schema. */
export interface Violation {
  readonly path: readonly (string | number)[]
  readonly value: unknown
  /** The keyword that the part violates. Undefined if the schema allows no value. */
  readonly keyword?: string
  readonly rule?: unknown
}

/** A part of a value, with the schema that applies to the part. Without a key, the part is the entire value. */
export type AppliedSchema = readonly [part: unknown, schema: unknown, key?: string | number]

interface Surroundings {
  readonly schema: Schema
  readonly root: unknown
  /** Checks the value against another schema. Returns the first violation, if any. */
  readonly find: (schema: unknown) => Violation | undefined
  readonly fits: (schema: unknown) => boolean
}

/**
 * Checks one keyword. Returns whether the value matches, a violation, or parts of the value with the schemas that apply
 * to them.
 */
export type Keyword = (
  value: unknown,
  rule: unknown,
  surroundings: Surroundings,
) => boolean | Violation | readonly AppliedSchema[]

export interface ValidatorOptions {
  /** The schema in which references are resolved. Default: the schema to check. */
  readonly root?: unknown
  /** The keywords to check, in this order. Others are ignored. Default: all. */
  readonly keywords?: Readonly<Record<string, Keyword>>
  /**
   * Maximum depth of nested schemas. A value that needs a greater depth counts as a violation. Set it for recursive
   * schemas, which allow any depth. Default: no limit.
   */
  readonly maxDepth?: number
  /**
   * Maximum number of checks of a part against a schema. A value that needs more checks counts as a violation. Default:
   * no limit.
   */
  readonly maxParts?: number
}

/**
 * Returns the first part of a value that does not match a JSON Schema. Ignores formats, and follows references only
 * within the schema. If the schema contains an unsupported keyword, such as `contains`, every value violates it.
 */
export function findViolation(
  value: unknown,
  schema: unknown,
  { root = schema, keywords = allKeywords, maxDepth = Infinity, maxParts = Infinity }: ValidatorOptions = {},
): Violation | undefined {
  const checks = Object.entries(keywords)
  let parts = 0
  const find = (value: unknown, schema: unknown, depth: number): Violation | undefined => {
    if (schema === false || schema === undefined) return { path: [], value }
    if (!isRecord(schema)) return undefined
    parts += 1
    if (depth > maxDepth || parts > maxParts) return { path: [], value, keyword: '$ref', rule: schema.$ref }
    const findHere = (inner: unknown) => find(value, inner, depth + 1)
    const surroundings = { schema, root, find: findHere, fits: (inner: unknown) => !findHere(inner) }
    for (const [keyword, check] of checks) {
      if (!Object.hasOwn(schema, keyword)) continue
      const rule = schema[keyword]
      const outcome = check(value, rule, surroundings)
      if (outcome === true) continue
      if (outcome === false) return { path: [], value, keyword, rule }
      if (!isApplied(outcome)) return outcome
      for (const [part, inner, key] of outcome) {
        const found = find(part, inner, depth + 1)
        if (found) return key === undefined ? found : { ...found, path: [key, ...found.path] }
      }
    }
    return undefined
  }
  return find(value, schema, 0)
}

/** Keywords that check the value itself, not its parts. */
const valueKeywords: Readonly<Record<string, Keyword>> = {
  type: (value, rule) => toList(rule).some((type) => isOfType(value, type)),
  enum: (value, rule) => toItems(rule).some((one) => isSame(value, one)),
  const: isSame,
  minimum: ofNumber((value, rule) => value >= rule),
  maximum: ofNumber((value, rule) => value <= rule),
  exclusiveMinimum: ofNumber((value, rule) => value > rule),
  exclusiveMaximum: ofNumber((value, rule) => value < rule),
  multipleOf: ofNumber((value, rule) => Math.abs(value / rule - Math.round(value / rule)) < 1e-7),
  minLength: (value, rule) => typeof value !== 'string' || [...value].length >= Number(rule),
  maxLength: (value, rule) => typeof value !== 'string' || [...value].length <= Number(rule),
  pattern: (value, rule) => typeof value !== 'string' || isMatch(String(rule), value),
  minItems: ofList((value, rule) => value.length >= Number(rule)),
  maxItems: ofList((value, rule) => value.length <= Number(rule)),
  uniqueItems: ofList((value, rule) => !rule || new Set(value.map(toText)).size === value.length),
  minProperties: ofObject((value, rule) => Object.keys(value).length >= Number(rule)),
  maxProperties: ofObject((value, rule) => Object.keys(value).length <= Number(rule)),
  required: ofObject(hasAll),
  dependentRequired: ofObject((value, rule) =>
    fieldsOf(rule).every(([name, names]) => !Object.hasOwn(value, name) || hasAll(value, names)),
  ),
}

/**
 * Keywords that contain schemas. Each returns a result, or the parts of the value to check with the schema for each
 * part.
 */
const schemaKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems: leadingItems,
  items: (value, rule, { schema }) =>
    Array.isArray(rule) ? leadingItems(value, rule) : laterItems(value, rule, schema.prefixItems),
  additionalItems: (value, rule, { schema: { items } }) =>
    Array.isArray(items) ? laterItems(value, rule, items) : [],
  unevaluatedItems: (value, rule, { schema: { items, prefixItems } }) =>
    items === undefined || Array.isArray(items) ? laterItems(value, rule, items ?? prefixItems) : [],
  properties: (value, rule) =>
    fieldsOf(value).flatMap(([name, part]) =>
      hasField(rule, name) ? [[part, rule[name], name] as const] : [],
    ),
  patternProperties: (value, rule) =>
    fieldsOf(value).flatMap(([name, part]) =>
      fieldsOf(rule).flatMap(([pattern, schema]) =>
        isMatch(pattern, name) ? [[part, schema, name] as const] : [],
      ),
    ),
  additionalProperties: otherFields,
  unevaluatedProperties: otherFields,
  propertyNames: (value, rule) => fieldsOf(value).map(([name]) => [name, rule]),
  dependentSchemas: (value, rule) =>
    fieldsOf(rule).flatMap(([name, schema]) => (hasField(value, name) ? [[value, schema] as const] : [])),
  allOf: (value, rule) => toItems(rule).map((schema) => [value, schema]),
  anyOf: (_, rule, { fits }) => toItems(rule).some(fits),
  oneOf: (_, rule, { fits }) => toItems(rule).filter(fits).length === 1,
  not: (_, rule, { fits }) => !fits(rule),
  if: (value, rule, { schema, fits }) => [[value, (fits(rule) ? schema.then : schema.else) ?? true]],
}

const unsupported = ['contains', 'dependencies', '$dynamicRef', '$recursiveRef']

/** All keywords, in the order in which they are checked. */
export const allKeywords: Readonly<Record<string, Keyword>> = {
  $ref: (value, rule, { root }) => [[value, resolveRef(rule, root)]],
  ...valueKeywords,
  ...schemaKeywords,
  ...Object.fromEntries(unsupported.map((keyword) => [keyword, () => false])),
}

function isApplied(outcome: Violation | readonly AppliedSchema[]): outcome is readonly AppliedSchema[] {
  return Array.isArray(outcome)
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

function isSame(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other)
}

/** Returns JSON text with sorted fields, so that equal values have the same text. */
function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
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

/** Applies the schema to all fields that `properties` and `patternProperties` do not cover. */
function otherFields(
  value: unknown,
  rule: unknown,
  { schema: { properties, patternProperties } }: Surroundings,
): readonly AppliedSchema[] {
  const patterns = fieldsOf(patternProperties).map(([pattern]) => pattern)
  return fieldsOf(value)
    .filter(([name]) => !hasField(properties, name) && !patterns.some((pattern) => isMatch(pattern, name)))
    .map(([name, part]) => [part, rule, name])
}

function leadingItems(value: unknown, rule: unknown): readonly AppliedSchema[] {
  const schemas = toItems(rule)
  return toItems(value)
    .slice(0, schemas.length)
    .map((part, at) => [part, schemas[at], at])
}

function laterItems(value: unknown, rule: unknown, before: unknown): readonly AppliedSchema[] {
  const { length } = toItems(before)
  return toItems(value)
    .slice(length)
    .map((part, at) => [part, rule, length + at])
}

function hasField(value: unknown, name: string): value is Schema {
  return isRecord(value) && Object.hasOwn(value, name)
}

function fieldsOf(value: unknown): readonly (readonly [name: string, part: unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

function isMatch(pattern: string, text: string): boolean {
  return new RegExp(pattern, 'u').test(text)
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
