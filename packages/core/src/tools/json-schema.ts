import {
  dereference,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
  Validator,
} from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError, messageOf } from '../errors.js'
import { isObject, isRecord, schemaPlace } from '../json.js'
import { runsAway } from './patterns.js'
import { JsonLoss, toJson } from './render-result.js'
import { type JsonSchemaParameters, withValidator } from './validate.js'

/**
 * Wraps a JSON Schema (drafts 4 to 2020-12) for use as `parameters` or `output`. Values are validated at run time.
 * TypeScript cannot infer the type of the values, so specify it: `jsonSchema<{ city: string }>({ ... })`. The compiler
 * does not compare this type with the schema. Default: `Record<string, unknown>` for an object schema, `unknown` for
 * any other.
 * @throws CapstanError `invalid_tool` that names the part that is not valid JSON Schema, or a reference without a
 * target
 */
export function jsonSchema<Value = undefined, const Schema extends JsonObject = JsonObject>(
  schema: Schema,
): JsonSchemaParameters<[Value] extends [undefined] ? UnnamedValue<Schema> : Value> {
  const { plain, validator } = toValidator(schema)
  return withValidator(plain, (value) => {
    const { valid, errors } = validator.validate(toPlain(value))
    // The value has the type that the caller specified for the schema.
    if (valid) return { value: value as never }
    return { issues: toIssues(errors) }
  })
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The type of the values if the caller did not specify one. A schema that is known only at run time counts as an object
 * schema.
 */
type UnnamedValue<Schema> = Schema extends { readonly type: infer Type }
  ? 'object' extends Type
    ? Record<string, unknown>
    : unknown
  : string extends keyof Schema
    ? Record<string, unknown>
    : unknown

/**
 * Copies the schema, because the validator changes it. Checks the schema immediately, because the validator would
 * report errors only during a run.
 */
function toValidator(schema: unknown): { readonly plain: Schema; readonly validator: Validator } {
  try {
    const plain = toJson(schema)
    if (!isObject(plain)) throw new Error('it is not an object')
    checkSchema(plain)
    checkParts(plain)
    return { plain, validator: new Validator(plain, toDraft(plain as Schema), false) }
  } catch (error) {
    const reason =
      error instanceof JsonLoss
        ? `${error.message}; use plain JSON, and $ref for a recursive schema`
        : messageOf(error)
    const message = `jsonSchema(...) needs a valid JSON Schema: ${reason}.`
    throw new CapstanError('invalid_tool', message, { cause: error })
  }
}

/** Checks the patterns and references in each part of a schema. */
function checkParts(schema: Schema): void {
  const parts = dereference(schema)
  for (const part of Object.values(parts)) {
    if (typeof part === 'boolean') continue
    for (const pattern of [part.pattern, ...Object.keys(Object(part.patternProperties))])
      if (isPattern(pattern) && runsAway(String(pattern)))
        throw new Error(
          `the pattern ${excerpt(pattern)} can take forever on some strings; avoid nested repetitions, as in (a+)+`,
        )
    if (part.$ref === undefined) continue
    if (parts[part.__absolute_ref__ ?? part.$ref] === undefined)
      throw new Error(`$ref "${part.$ref}" has no target; define it in $defs`)
  }
}

/** Copies a value through JSON, because the validator does not support `undefined`. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

function toDraft({ $schema }: Readonly<Record<string, unknown>>): SchemaDraft {
  if (String($schema).includes('draft-04')) return '4'
  return /draft-0[67]/.test(String($schema)) ? '7' : '2020-12'
}

/** Converts errors to issues. Omits a parent's "does not match" error, which only repeats the errors of its parts. */
function toIssues(errors: readonly OutputUnit[]): StandardSchemaV1.Issue[] {
  const known = errors.filter(({ keyword }) => keyword !== 'false')
  const isRepeated = ({ keyword, keywordLocation }: OutputUnit) =>
    !/^(any|one)Of$/.test(keyword) &&
    known.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`))
  return known
    .filter((one) => !isRepeated(one))
    .map(({ error, instanceLocation }) => ({ message: error, path: toPath(instanceLocation) }))
}

/** Parses a URL-encoded JSON Pointer. */
function toPath(pointer: string): string[] {
  const parts = pointer.split('/').slice(1).map(decodeURIComponent)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

type Path = readonly (string | number)[]

/** Checks a JSON Schema recursively. @throws Error with the path of the first invalid part, and what to use instead */
function checkSchema(schema: unknown, path: Path = []): void {
  if (typeof schema === 'boolean') return
  if (!isRecord(schema))
    throw schemaError(path, `${excerpt(schema)} is not a schema; use an object, true or false`)
  for (const [keyword, value] of Object.entries(schema)) {
    const [what, isValid] = (Object.hasOwn(rules, keyword) && rules[keyword]) || anything
    if (!isValid(value)) throw schemaError(path, `${keyword} is ${excerpt(value)}; use ${what}`)
    for (const [key, part] of partsOf(keyword, value)) checkSchema(part, [...path, keyword, ...key])
  }
}

type Rule = readonly [what: string, isValid: (value: unknown) => boolean]

const anything: Rule = ['any value', () => true]
const number: Rule = ['a number', Number.isFinite]
const limit: Rule = ['a number', (value) => Number.isFinite(value) || typeof value === 'boolean']
const count: Rule = ['a whole number of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0]
const text: Rule = ['a string', (value) => typeof value === 'string']
const schemas: Rule = ['an object of schemas', isRecord]
const schemaList: Rule = ['an array of schemas', isFilledList]

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const rules: Readonly<Record<string, Rule>> = {
  type: [`one of ${types.join(', ')}, or an array of them`, isType],
  enum: ['an array of values', isFilledList],
  required: ['an array of names', (value) => Array.isArray(value) && value.every(text[1])],
  pattern: ['a regular expression valid with flag "u"', isPattern],
  patternProperties: [
    'an object whose names are regular expressions valid with flag "u"',
    (value) => isRecord(value) && Object.keys(value).every(isPattern),
  ],
  properties: schemas,
  $defs: schemas,
  definitions: schemas,
  dependentSchemas: schemas,
  anyOf: schemaList,
  oneOf: schemaList,
  allOf: schemaList,
  prefixItems: schemaList,
  $ref: text,
  format: text,
  minimum: number,
  maximum: number,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  multipleOf: ['a number above 0', (value) => Number.isFinite(value) && Number(value) > 0],
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
}

/** Returns the schemas inside a keyword's value, each with its path. */
function partsOf(keyword: string, value: unknown): readonly (readonly [key: Path, part: unknown])[] {
  if (Array.isArray(value) && isKeyword(keyword, schemaArrayKeyword))
    return value.map((part, at) => [[at], part])
  if (isKeyword(keyword, schemaMapKeyword))
    return Object.entries(Object(value)).map(([key, part]) => [[key], part])
  return isKeyword(keyword, schemaKeyword) ? [[[], value]] : []
}

function isKeyword(keyword: string, among: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(among, keyword)
}

function isType(value: unknown): boolean {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  return given.length > 0 && given.every((type) => types.includes(String(type)))
}

function isPattern(value: unknown): boolean {
  try {
    RegExp(String(value), 'u')
    return typeof value === 'string'
  } catch {
    return false
  }
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function excerpt(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 57)}...` : json
}

function schemaError(path: Path, reason: string): Error {
  return new Error(`at "${schemaPlace(path)}", ${reason}`)
}
