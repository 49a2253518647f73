import type { StandardSchemaV1 } from '@standard-schema/spec'
import { getOwn, isRecord, listOf } from '../json.js'

/** A part of a value that does not fit a schema. */
export interface Violation {
  readonly path: readonly string[]
  readonly message: string
}

type Schema = Readonly<Record<string, unknown>>

/** A part of a value, with the schema that applies to it. Without a key it is the whole value. */
export type AppliedSchema = readonly [part: unknown, schema: unknown, key?: string]

interface Surroundings {
  readonly schema: Schema
  readonly root: unknown
  /** Whether the value fits another schema. */
  readonly fits: (schema: unknown) => boolean
}

/** Whether a value fits a keyword, or the parts of the value with the schemas that apply to them. */
export type Keyword = (
  value: unknown,
  rule: unknown,
  surroundings: Surroundings,
) => boolean | readonly AppliedSchema[]

interface ValidatorOptions {
  readonly root?: unknown
  readonly keywords?: Readonly<Record<string, Keyword>>
}

/**
 * Returns the first part of a value that does not fit a JSON Schema. A small validator for Capstan's own schemas: other
 * keywords than those of `ownKeywords` are ignored. Schemas of users, wrapped by `jsonSchema`, have a complete one.
 */
export function findViolation(
  value: unknown,
  schema: unknown,
  { root = schema, keywords = ownKeywords }: ValidatorOptions = {},
): Violation | undefined {
  if (schema === true) return undefined
  if (!isRecord(schema)) return { path: [], message: 'is not allowed' }
  const find = (part: unknown, inner: unknown) => findViolation(part, inner, { root, keywords })
  const surroundings = { schema, root, fits: (inner: unknown) => !find(value, inner) }
  for (const [keyword, rule] of Object.entries(schema)) {
    const check = getOwn(keywords, keyword)
    const outcome = check?.(value, rule, surroundings) ?? true
    if (!outcome) return { path: [], message: `does not fit ${keyword}: ${JSON.stringify(rule)}` }
    for (const [part, inner, key] of outcome === true ? [] : outcome) {
      const found = find(part, inner)
      if (found) return { ...found, path: [...(key === undefined ? [] : [key]), ...found.path] }
    }
  }
  return undefined
}

/** The keywords of Capstan's own schemas. A reference is to the whole schema. */
export const ownKeywords: Readonly<Record<string, Keyword>> = {
  type: (value, rule) => [rule].flat().some((type) => isOfType(value, type)),
  const: (value, rule) => value === rule,
  enum: (value, rule) => listOf(rule).includes(value),
  minimum: (value, rule) => typeof value !== 'number' || value >= Number(rule),
  maximum: (value, rule) => typeof value !== 'number' || value <= Number(rule),
  minLength: (value, rule) => typeof value !== 'string' || [...value].length >= Number(rule),
  pattern: (value, rule) => typeof value !== 'string' || RegExp(String(rule), 'u').test(value),
  required: (value, rule) =>
    !isRecord(value) || listOf(rule).every((name) => Object.hasOwn(value, String(name))),
  properties: (value, rule) =>
    fieldsOf(value).map(([name, part]) => [part, getOwn(rule, name) ?? true, name]),
  additionalProperties: (value, rule, { schema: { properties = {} } }) =>
    fieldsOf(value).flatMap(([name, part]) =>
      Object.hasOwn(Object(properties), name) ? [] : [[part, rule, name] as const],
    ),
  propertyNames: (value, rule) => fieldsOf(value).map(([name]) => [name, rule]),
  items: (value, rule) => listOf(value).map((part, at) => [part, rule, String(at)]),
  anyOf: (_, rule, { fits }) => listOf(rule).some(fits),
  $ref: (value, rule, { root }) => rule === '#' && [[value, root]],
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

function fieldsOf(value: unknown): readonly (readonly [name: string, part: unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

/** A JSON Schema as tool parameters or output: values are validated and passed on unchanged. */
export interface JsonSchemaParameters<Value = Record<string, unknown>> extends StandardSchemaV1<Value> {
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
