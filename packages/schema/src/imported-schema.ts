// An untrusted schema may contain a regular expression that would run for years. Arguments are therefore only checked
// against the rest of the schema, and the server must check them against all of it.
import { CapstanError, type JsonSchemaParameters, jsonSchema } from '@capstan/core'
import { isRecord } from './is-record.js'
import { resolveRef } from './resolve-ref.js'
import { sanitizeText } from './sanitize-text.js'

/**
 * Converts another server's schema to tool parameters. The model gets the schema with sanitized descriptions. Arguments
 * are validated only against the parts that are safe to check.
 * @throws CapstanError `invalid_tool` if the schema is invalid or too large; RangeError if it is nested too deeply
 */
export function toParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const { parts, loops } = schemaCost(schema)
  if (parts > maxParts) {
    const message = `Its schema has ${parts} parts after resolving references. The limit is ${maxParts}.`
    throw new CapstanError('invalid_tool', message)
  }
  const shown = limitSchemaText(schema)
  const length = JSON.stringify(shown).length
  if (length > maxLength) {
    const message = `Its schema has ${length} characters. The limit is ${maxLength}.`
    throw new CapstanError('invalid_tool', message)
  }
  const checked = jsonSchema(withoutPatterns(schema))
  const { validate, ...standard } = checked['~standard']
  return {
    schema: shown,
    '~standard': {
      ...standard,
      // Like regular expressions, validation that would take too long is left to the server.
      validate: (value) =>
        loops ** depthOf(value) > maxVisits ? { value: value as Record<string, unknown> } : validate(value),
    },
  }
}

const maxParts = 20_000
const maxLength = 200_000
const maxVisits = 100_000

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((most, inner) => Math.max(most, 1 + depthOf(inner)), 1)
}

type Schema = Readonly<Record<string, unknown>>

/**
 * Sanitizes the strings in a schema, and limits the length of each string and of all strings together. Does not change
 * keywords that determine which values are valid.
 */
export function limitSchemaText(schema: Schema): Schema {
  let left = maxTotalText
  const toWords = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (left <= 0) return undefined
      const text = sanitizeText(value, Math.min(left, maxText))
      left -= text.length
      return text
    }
    if (Array.isArray(value)) return value.map(toWords).filter((one) => one !== undefined)
    return isRecord(value) ? mapped(value, toKeyword) : value
  }
  const toKeyword = (value: unknown, keyword: string): unknown => {
    if (exact.has(keyword)) return value
    return maps.has(keyword) && isRecord(value) ? mapped(value, toWords) : toWords(value)
  }
  return mapped(schema, toKeyword)
}

const maxText = 2048
const maxTotalText = 16_384

/** Keywords that determine which values are valid, or that identify or reference parts of the schema. */
const exact: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'pattern', 'format'],
  ...['contentEncoding', 'contentMediaType'],
  ...['$schema', '$id', 'id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
])

/** Keywords whose value is an object with arbitrary names as keys. */
const maps: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
])

function mapped(object: Schema, map: (value: unknown, key: string) => unknown): Schema {
  const entries = Object.entries(object).map(([key, value]) => [key, map(value, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Whether a JSON value has more levels than a recursive function can safely handle. Default limit: 200. */
export function nestedTooDeep(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => nestedTooDeep(inner, levels - 1))
}

const maxLevels = 200

/**
 * Returns a schema without keywords that are `null`, which some generators write for absent keywords. Keeps `default`
 * and `const`.
 */
export function withoutNullKeywords(schema: Schema): Schema {
  const toPart = (part: unknown): unknown => (isRecord(part) ? withoutNullKeywords(part) : part)
  return mapped(schema, (value, keyword) => {
    if (value === null) return keyword === 'default' || keyword === 'const' ? value : undefined
    if (maps.has(keyword) && isRecord(value)) return mapped(value, toPart)
    if (!schemas.includes(keyword)) return value
    return Array.isArray(value) ? value.map(toPart) : toPart(value)
  })
}

/**
 * Removes regular expressions and the keywords that depend on them. Every value that matches the schema also matches
 * the result.
 */
export function withoutPatterns(schema: Schema): Schema {
  const hasPatterns = Object.hasOwn(schema, 'patternProperties')
  const kept = Object.entries(schema).filter(
    ([keyword]) => !unsupported.has(keyword) && !(hasPatterns && keyword === 'additionalProperties'),
  )
  const { oneOf, ...loose } = Object.fromEntries(
    kept
      .map(([keyword, value]) => [keyword, keywordWithoutPatterns(keyword, value)] as const)
      .filter(([, value]) => value !== undefined),
  )
  if (oneOf === undefined) return loose
  // Without patterns, several of these schemas may match, so `oneOf` becomes `anyOf`.
  const others = Array.isArray(loose.allOf) ? loose.allOf : []
  return { ...loose, allOf: [...others, { anyOf: oneOf }] }
}

/** Regular expressions, and keywords that could reject valid values if one of their parts accepted more values. */
const unsupported: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'not',
  'if',
  'then',
  'else',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
  // With these keywords, a reference could lead to a part that `schemaCost` does not visit.
  ...['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'],
])

const schemas = [
  'anyOf',
  'oneOf',
  'allOf',
  'prefixItems',
  'items',
  'contains',
  'additionalItems',
  'additionalProperties',
  'propertyNames',
]

function keywordWithoutPatterns(keyword: string, value: unknown): unknown {
  if (maps.has(keyword) && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, partWithoutPatterns(part)]))
  if (!schemas.includes(keyword)) return literal.has(keyword) || !isStructured(value) ? value : undefined
  return Array.isArray(value) ? value.map(partWithoutPatterns) : partWithoutPatterns(value)
}

/**
 * Keywords whose arrays and objects are not schemas. An unknown keyword with such a value is dropped, because a
 * reference could lead into a part that was not visited.
 */
const literal: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'type',
  'dependentRequired',
])

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function partWithoutPatterns(part: unknown): unknown {
  return isRecord(part) ? withoutPatterns(part) : part
}

type Part = Readonly<Record<string, unknown>>

/** Measures how expensive it is to validate a value. */
interface SchemaCost {
  /**
   * The number of parts in the schema after references have been resolved. It grows exponentially if each part refers
   * to the next one twice.
   */
  readonly parts: number
  /**
   * The number of references to a part that is being visited. Each level of a value can multiply the validation time by
   * this number.
   */
  readonly loops: number
}

export function schemaCost(schema: Part): SchemaCost {
  const known = new Map<object, SchemaCost>()
  const costOf = (part: unknown): SchemaCost => {
    if (typeof part !== 'object' || part === null) return nothing
    const cost = known.get(part)
    if (cost) return cost
    known.set(part, loop)
    const target = '$ref' in part ? resolveRef(part.$ref, schema) : undefined
    const inner = [...Object.values(part), target].map(costOf)
    const sum = inner.reduce(add, { parts: 1, loops: 0 })
    known.set(part, sum)
    return sum
  }
  return costOf(schema)
}

const nothing: SchemaCost = { parts: 0, loops: 0 }
/** The cost of a reference to a part that is being visited. */
const loop: SchemaCost = { parts: 1, loops: 1 }

function add(one: SchemaCost, other: SchemaCost): SchemaCost {
  return { parts: one.parts + other.parts, loops: one.loops + other.loops }
}
