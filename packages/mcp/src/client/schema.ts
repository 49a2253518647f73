// A stranger's schema may hold a regular expression that takes years. Arguments are checked by all the rest of it; the
// server, which must check them anyway, looks at what is left out here.
import { CapstanError, type JsonSchemaParameters, jsonSchema } from '@capstan/core'
import { tidyText } from './server-text.js'

/**
 * A server's schema: shown to the model as the server wrote it, its words tidied; arguments are checked by what of it
 * can be checked without danger. @throws CapstanError `invalid_tool`, or RangeError, for one that cannot be used
 */
export function toParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const { parts, loops } = schemaCost(schema)
  if (parts > maxParts) {
    const message = `Its schema has ${parts} parts with its references in place; ${maxParts} are the most.`
    throw new CapstanError('invalid_tool', message)
  }
  const shown = shownSchema(schema)
  const length = JSON.stringify(shown).length
  if (length > maxLength) {
    const message = `Its schema has ${length} characters; ${maxLength} are the most that a model is shown.`
    throw new CapstanError('invalid_tool', message)
  }
  const checked = jsonSchema(looseSchema(schema))
  const { validate, ...standard } = checked['~standard']
  return {
    schema: shown,
    '~standard': {
      ...standard,
      // What would take too long is left to the server, as its regular expressions are.
      validate: (value) =>
        loops ** depthOf(value) > maxLooks ? { value: value as Record<string, unknown> } : validate(value),
    },
  }
}

const maxParts = 20_000
const maxLength = 200_000
const maxLooks = 100_000

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((most, inner) => Math.max(most, 1 + depthOf(inner)), 1)
}

type Schema = Readonly<Record<string, unknown>>

/**
 * A stranger's schema as a model is shown it: its words are tidied and bounded, each and in total, and what says which
 * values are valid stays as it is.
 */
export function shownSchema(schema: Schema): Schema {
  let left = maxWords
  const toWords = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (left <= 0) return undefined
      const words = tidyText(value, Math.min(left, maxWord))
      left -= words.length
      return words
    }
    if (Array.isArray(value)) return value.map(toWords).filter((one) => one !== undefined)
    return isObject(value) ? mapped(value, toKeyword) : value
  }
  const toKeyword = (value: unknown, keyword: string): unknown => {
    if (exact.has(keyword)) return value
    return maps.has(keyword) && isObject(value) ? mapped(value, toWords) : toWords(value)
  }
  return mapped(schema, toKeyword)
}

const maxWord = 2048
const maxWords = 16_384

/** Say which values are valid, or what of the schema does. */
const exact: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'pattern', 'format'],
  ...['contentEncoding', 'contentMediaType'],
  ...['$schema', '$id', 'id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
])

/** Schemas by names that are no keywords. */
const maps: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
])

function mapped(object: Schema, map: (value: unknown, key: string) => unknown): Schema {
  const entries = Object.entries(object).map(([key, value]) => [key, map(value, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A schema without regular expressions, and without what cannot do without them: all that fits the one fits the other. */
export function looseSchema(schema: Schema): Schema {
  const hasPatterns = Object.hasOwn(schema, 'patternProperties')
  const kept = Object.entries(schema).filter(
    ([keyword]) => !leftOut.has(keyword) && !(hasPatterns && keyword === 'additionalProperties'),
  )
  const { oneOf, ...loose } = Object.fromEntries(
    kept
      .map(([keyword, value]) => [keyword, toLoose(keyword, value)] as const)
      .filter(([, value]) => value !== undefined),
  )
  if (oneOf === undefined) return loose
  // Of schemas that ask for less, more than one may fit.
  const others = Array.isArray(loose.allOf) ? loose.allOf : []
  return { ...loose, allOf: [...others, { anyOf: oneOf }] }
}

/** Regular expressions, and what is fulfilled by values that do not fit a schema. */
const leftOut: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'not',
  'if',
  'then',
  'else',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
  // By these a reference may lead where a bound on its length does not look.
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

function toLoose(keyword: string, value: unknown): unknown {
  if (maps.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPart(part)]))
  if (!schemas.includes(keyword)) return plain.has(keyword) || !isStructured(value) ? value : undefined
  return Array.isArray(value) ? value.map(toPart) : toPart(value)
}

/** Keywords whose lists and objects are no schemas. Under any other, a reference may find one that was not looked through. */
const plain: ReadonlySet<string> = new Set([
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

function toPart(part: unknown): unknown {
  return isObject(part) ? looseSchema(part) : part
}

type Part = Readonly<Record<string, unknown>>

/** What looking at a value by a schema costs. */
interface SchemaCost {
  /** Parts of the schema, each reference in its place: a few that lead to each other twice make more than anybody can look at. */
  readonly parts: number
  /** How many of these lead back to where they stand: each level of a value may take as many times longer. */
  readonly loops: number
}

export function schemaCost(schema: Part): SchemaCost {
  const known = new Map<object, SchemaCost>()
  const costOf = (part: unknown): SchemaCost => {
    if (typeof part !== 'object' || part === null) return nothing
    const cost = known.get(part)
    if (cost) return cost
    known.set(part, loop)
    const target = '$ref' in part ? partAt(schema, part.$ref) : undefined
    const inner = [...Object.values(part), target].map(costOf)
    const sum = inner.reduce(add, { parts: 1, loops: 0 })
    known.set(part, sum)
    return sum
  }
  return costOf(schema)
}

const nothing: SchemaCost = { parts: 0, loops: 0 }
/** Of a part that is being looked at. */
const loop: SchemaCost = { parts: 1, loops: 1 }

function add(one: SchemaCost, other: SchemaCost): SchemaCost {
  return { parts: one.parts + other.parts, loops: one.loops + other.loops }
}

/** What a reference within a schema leads to. */
function partAt(schema: Part, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  const keys = reference.slice(1).split('/').slice(1)
  return keys.reduce<unknown>((part, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof part === 'object' && part !== null && Object.hasOwn(part, name)
      ? (part as Part)[name]
      : undefined
  }, schema)
}
